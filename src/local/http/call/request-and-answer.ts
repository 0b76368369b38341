/** A request as it reaches the local service, over HTTP or in this process. */
export interface LocalRequest {
  readonly method: string;
  /** The address that the request was sent to: `http://127.0.0.1:8181`. */
  readonly origin: string;
  /** Encoded, as in the address: without the query, and without the segments `.` and `..`. */
  readonly path: string;
  /** Starts with `?`; empty when there is none. */
  readonly query: string;
  /** Names are in lower case. Values of a header that was sent several times are joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** All of the body, or chunks. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array> | undefined;
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal;
}

/** The answer to a request. */
export interface LocalAnswer {
  readonly status: number;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** All of the body, empty when there is none; or chunks, until they end or the caller disconnects. */
  readonly body: string | AsyncIterable<string | Uint8Array>;
}

/** The parts of the address of a request, from the whole address. Throws a TypeError when it is not one. */
export function addressParts(url: string): Pick<LocalRequest, 'origin' | 'path' | 'query'> {
  const { origin, pathname, search } = new URL(url);
  return { origin, path: pathname, query: search };
}
