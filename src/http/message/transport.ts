import type { Bytes } from '../../core/unit-types.ts';

/**
 * How far an exchange came before it failed. `not-sent`: no byte of the request can have reached a service (connection
 * refused, name not found, handshake failed, connect timeout). `sent`: the request may have arrived, and no answer
 * came. `answered`: the answer began and broke off.
 */
export type Stage = 'not-sent' | 'sent' | 'answered';

export interface WireRequest {
  readonly method: string;
  /** Complete and encoded. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** All of it, or chunks: then the headers have its length. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array> | undefined;
  /** Ends the exchange at any stage. */
  readonly signal: AbortSignal;
}

export interface WireAnswer {
  readonly status: number;
  /** Names are in lower case. Values of a header that was sent several times are joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as it was sent, still encoded: all of it, or chunks. Iterating throws WireError where the body breaks off. */
  readonly body: Buffer | AsyncIterable<Uint8Array>;
}

/** The parts of a request that a buffered exchange needs, in the form that the client takes them. */
export interface BufferedRequest {
  readonly origin: string;
  /** Includes the query. */
  readonly path: string;
  readonly method: string;
  /** Name, value, name, value. */
  readonly headers: string[];
}

/** One request in flight. */
export interface Exchange {
  /** Rejects with WireError only. */
  readonly answer: Promise<WireAnswer>;
  abort(reason: Error): void;
  /** Releases an answer that was not read to its end. Absent when the answer is complete. */
  close?(): void;
}

/** Starts an exchange whose answer is complete when it resolves. Of the body at most `maxBytes` are kept. */
export type SendBuffered = (request: BufferedRequest, body: Uint8Array | undefined, maxBytes: Bytes) => Exchange;

/** Sends one request and resolves with the head of the answer; the body follows as a stream. Throws only WireError. */
export interface Transport {
  (request: WireRequest): Promise<WireAnswer>;
  /**
   * Prepares buffered exchanges with one origin, which cost less than streaming ones. A transport without it, such as
   * the local service in this process, streams every answer.
   */
  readonly openBuffered?: (origin: string) => Promise<SendBuffered>;
}

export class WireError extends Error {
  override readonly name = 'WireError';
  readonly stage: Stage;
  /** The peer's certificate was rejected. */
  readonly certificate: boolean;
  /** A retry would end the same. */
  readonly final: boolean;
  /** Nothing is at the address: its host is unknown, or refused the connection. */
  readonly absent: boolean;
  constructor(
    stage: Stage,
    message: string,
    cause?: unknown,
    about: Partial<Pick<WireError, 'certificate' | 'final' | 'absent'>> = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.stage = stage;
    this.certificate = about.certificate ?? false;
    this.final = about.final ?? this.certificate;
    this.absent = about.absent ?? false;
  }
}
