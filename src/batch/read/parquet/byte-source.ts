/** A file or an object of which any part can be read. */
export interface ByteSource {
  /** For messages. */
  readonly name: string;
  readonly bytes: number;
  /**
   * Reads the bytes from `start` up to, but not including, `end`, all of them. Fails when the content is no longer that
   * which was checked before.
   */
  read(start: number, end: number): Promise<Uint8Array>;
}
