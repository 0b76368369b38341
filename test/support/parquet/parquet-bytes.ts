import { parquetWriteBuffer } from 'hyparquet-writer';

type Options = Parameters<typeof parquetWriteBuffer>[0];

/** Returns a Parquet file with these columns. */
export const parquetBytes = (options: Omit<Options, 'writer'>): Uint8Array<ArrayBuffer> =>
  new Uint8Array(parquetWriteBuffer(options));
