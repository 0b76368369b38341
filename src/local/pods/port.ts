/** A container of a pod: a folder, and a program that lets SSH clients in. */
export interface PodContainer {
  /** On the loopback address. */
  readonly port: number;
  /** Ends its connections and everything that they have started. */
  stop(): Promise<void>;
}

export interface ContainerSpec {
  /** The root of its files. */
  readonly folder: string;
  /** The home folder of its user, in `folder`; made where it is missing. */
  readonly home: string;
  /** Folders of this machine at paths of the container: the parts of it that outlive a start. */
  readonly mounts: readonly { readonly path: string; readonly target: string }[];
  /** The name that a client logs in with. */
  readonly username: string;
  /** Lines of OpenSSH public keys that open it; those that cannot be read open nothing. */
  readonly publicKeys: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  /** The file of its host key, which is made where it is missing: every server of one start of the pod has the same key. */
  readonly hostKeyFile: string;
}

/** Starts a container on a new port. Rejects where it cannot listen. */
export type StartContainer = (spec: ContainerSpec) => Promise<PodContainer>;
