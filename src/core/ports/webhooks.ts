import type { Bytes, EpochMs } from '../unit-types.ts';

/** A header as it was sent: its name with the same letters, its value as the bytes of Latin-1. */
export type HeaderPair = readonly [name: string, value: string];

/** A request that another program posted to this machine. */
export interface PostedRequest {
  /** The path and the query as they were sent. */
  readonly target: string;
  readonly headers: readonly HeaderPair[];
  readonly body: Uint8Array;
}

/** How a listener is opened. */
export interface ListenOptions {
  /** An address or a name of this machine. */
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Called for each post; what it resolves with is the status of the answer. Where it rejects, the answer is 500. */
  readonly onPost: (request: PostedRequest) => Promise<number>;
  /** Called with the reason for each request that is refused: it is no post, comes from a web page, or is too large. */
  readonly onRefused: (reason: string) => void;
}

/** What became of one attempt to deliver a webhook. */
export interface Delivery {
  readonly at: EpochMs;
  /** The address; undefined where it was not sent on. */
  readonly to?: string | undefined;
  /** The status of the answer; undefined where none came. */
  readonly status?: number | undefined;
  /** Why there was no answer, or none was asked for. */
  readonly error?: string | undefined;
}

/** A webhook that is to be kept. */
export interface NewWebhook extends PostedRequest {
  /** `received` from a sender, or `made` by berth for a job whose sender cannot reach the receiver. */
  readonly source: 'received' | 'made';
  /** Where it is to be delivered; undefined where it was only to be received. */
  readonly to: string | undefined;
  /** The id of the job that its body names, and the status of that job, where it has them. */
  readonly job: string | undefined;
  readonly status: string | undefined;
}

/** A webhook that is kept. */
export interface StoredWebhook extends Omit<NewWebhook, 'body'> {
  readonly id: string;
  readonly at: EpochMs;
  readonly bytes: Bytes;
  /** The path of the file that holds its body, as it was sent. */
  readonly file: string;
  /** In the order in which they were made. */
  readonly deliveries: readonly Delivery[];
}

/** Receives, keeps and sends webhooks. Files fail with local-file (14). */
export interface Webhooks {
  /** Fails with usage (2) when the port is in use or the address cannot be opened. */
  listen(options: ListenOptions): Promise<{ readonly url: string; stop(): Promise<void> }>;
  /** Keeps a webhook; it is on the disk when this resolves. The oldest ones beyond the limits are removed. */
  add(webhook: NewWebhook): Promise<StoredWebhook>;
  /** Adds an attempt to a webhook that is kept. Does nothing where it was removed meanwhile. */
  record(id: string, delivery: Delivery): Promise<void>;
  /** All that are kept, the oldest first. */
  list(): Promise<readonly StoredWebhook[]>;
  body(webhook: StoredWebhook): Promise<Uint8Array>;
  /**
   * Posts bytes unchanged with these headers, but for those that belong to one connection. Sends no key and follows no
   * redirect. Returns the status of the answer; fails with unavailable (7) where none came.
   */
  post(url: string, headers: readonly HeaderPair[], body: Uint8Array): Promise<number>;
}
