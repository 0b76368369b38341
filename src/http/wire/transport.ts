/**
 * One exchange on the wire, told apart by how far it came. `not-sent`: no byte of the request can have reached a
 * service (refused, name not found, handshake failed, connect timeout). `sent`: it may have arrived, and no answer
 * came. `answered`: the answer began and broke off.
 */
export type Stage = 'not-sent' | 'sent' | 'answered';

export interface WireRequest {
  readonly method: string;
  /** Complete and encoded. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
  /** Ends the exchange at any stage. */
  readonly signal: AbortSignal;
}

export interface WireAnswer {
  readonly status: number;
  /** Names in lower case; a header sent several times is joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** As sent, still encoded. Throws WireError where it breaks off. */
  readonly body: AsyncIterable<Uint8Array>;
}

export class WireError extends Error {
  override readonly name = 'WireError';
  readonly stage: Stage;
  /** The certificate of the other side was refused. Another try would end the same. */
  readonly certificate: boolean;
  constructor(stage: Stage, message: string, cause?: unknown, certificate = false) {
    super(message, cause === undefined ? undefined : { cause });
    this.stage = stage;
    this.certificate = certificate;
  }
}

/** Sends one request and gives the answer's head; the body follows. Throws WireError and nothing else. */
export type Transport = (request: WireRequest) => Promise<WireAnswer>;
