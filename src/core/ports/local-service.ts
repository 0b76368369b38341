/** How to serve the local service over HTTP. */
export interface LocalServeOptions {
  /** 0 for any free port. */
  readonly port: number;
  /** The file that keeps the state; undefined keeps it in memory. */
  readonly stateFile?: string;
  /**
   * What serves endpoints, by name: the path of a handler module or of a Python file, `exec: COMMAND`, or the command line
   * of a worker; undefined for attached workers only.
   */
  readonly endpoints: Readonly<Record<string, string | undefined>>;
  /** The program that runs Python files; default `python3`. */
  readonly python?: string | undefined;
  /** What the variables of workers begin with, beside the neutral ones; see the setting `worker-prefix`. */
  readonly workerPrefix?: string | undefined;
  /** Replaces the workers of an endpoint when a file changes beside its handler. */
  readonly reload?: boolean;
  /** Requests per window, by window name; windows not named keep their defaults. */
  readonly quota?: Readonly<Partial<Record<'minute' | 'hour' | 'day', number>>>;
  readonly queueLimits: boolean;
  /** What `stream` answers: the chunks alone (`array`, the default), or an object with the job's status and the chunks. */
  readonly streamShape?: 'array' | 'object';
  /** How many rows a page of a list has at most; default 1000. */
  readonly pageSize?: number | undefined;
  /** What the placeholders of secrets begin with; default `BERTH`. */
  readonly secretPrefix?: string | undefined;
  /** What the key of a pod may do: nothing (default), or read and stop that pod. */
  readonly podKeys?: 'refused' | 'own' | undefined;
  /** Lets webhooks reach other ports of this machine, and private networks. */
  readonly allowPrivateWebhooks?: boolean;
}

export interface LocalServer {
  /** `http://127.0.0.1:PORT`: one address for all three services. */
  readonly url: string;
  /** The seeded full-access key. It is valid on this server only. */
  readonly key: string;
  /** What the placeholders of its secrets begin with. */
  readonly secretPrefix: string;
  /** The key of the files on volumes. */
  readonly storageKey: { readonly accessKeyId: string; readonly secretAccessKey: string };
  stop(): Promise<void>;
}

/** Starts local services. Commands reach everything else of them through the Api. */
export interface LocalHost {
  serve(options: LocalServeOptions): Promise<LocalServer>;
}
