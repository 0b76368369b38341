/** `not-sent`: no byte reached a service. `sent`: no answer came. `answered`: the answer broke off. */
export type Stage = 'not-sent' | 'sent' | 'answered';

/** Ends a request early. An AbortController costs as much as the rest of a short request. */
export class Ending {
  /** Why it was ended; undefined before. */
  reason: Error | undefined;
  /** The transport sets it. */
  onEnd: ((reason: Error) => void) | undefined;
  end(reason: Error): void {
    if (this.reason !== undefined) return;
    this.reason = reason;
    const { onEnd } = this;
    // V8 may hold what left a Set for a while: then it must not hold the request too.
    this.onEnd = undefined;
    onEnd?.(reason);
  }
}

export interface WireRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** All of it, or chunks: then the headers have its length. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array> | undefined;
  readonly ending: Ending;
  /** Gets the chunks of a success as they arrive, and copies what it keeps; what it throws ends the exchange. The answer has the rest. */
  readonly take?: ((chunk: Uint8Array, head: WireHead) => void) | undefined;
}

export interface WireHead {
  readonly status: number;
  /** Names are in lower case. Values of a header that was sent several times are joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface WireAnswer extends WireHead {
  /** The body as it was sent, still encoded: all of it, or chunks. Iterating throws WireError where the body breaks off. */
  readonly body: Buffer | AsyncIterable<Uint8Array>;
}

/** Fails with WireError only. */
export type Transport = (request: WireRequest) => Promise<WireAnswer>;

export class WireError extends Error {
  override readonly name = 'WireError';
  readonly stage: Stage;
  readonly certificate: boolean;
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
