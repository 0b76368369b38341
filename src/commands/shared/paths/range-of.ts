import type { DurableFiles } from '../../../core/context.ts';

/** The bytes of a range of a file of this machine. */
export async function* rangeOf(
  files: DurableFiles,
  path: string,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array> {
  let at = start;
  if (at === end) return;
  for await (const chunk of files.read(path, start)) {
    const wanted = chunk.subarray(0, end - at);
    yield wanted;
    at += wanted.byteLength;
    if (at === end) return;
  }
}
