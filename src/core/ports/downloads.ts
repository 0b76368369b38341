/** The answer to a download whose status is 2xx or 3xx. */
export interface DownloadAnswer {
  readonly status: number;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The body. Iterating fails with unavailable (7) where it breaks off or nothing comes for too long, and with the
   * interrupt.
   */
  readonly body: AsyncIterable<Uint8Array>;
  /** Ends the exchange. To be called in any case. */
  close(): void;
}

/** Reads files from addresses that belong to no service of berth: the key is never sent. */
export interface Downloads {
  /**
   * Sends a GET request and returns the head of the answer. A redirect is an answer like any other. Retries as every
   * read does. Fails with not found (4), denied (3), refused (5), rate limited (6) or unavailable (7).
   */
  get(url: string, headers: Readonly<Record<string, string>>): Promise<DownloadAnswer>;
  close(): Promise<void>;
}
