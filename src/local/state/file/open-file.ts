import { close as closeFile, closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { localFile } from '../../../core/failure.ts';
import { errorCode, openRegular } from '../../../core/files.ts';
import type { Bytes } from '../../../core/unit-types.ts';

export interface OpenFile {
  readonly descriptor: number;
  readonly size: Bytes;
  /** The start of its first line, which no other state file has; all of it when it is shorter. */
  readonly start: string;
  /** Never fails. */
  close(): Promise<void>;
}

const START_BYTES = 80;

/** Undefined when there is none. Fails as `openRegular` does. */
export function openFile(path: string): OpenFile | undefined {
  const descriptor = openIfThere(path);
  if (descriptor === undefined) return undefined;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      closeFile(descriptor, () => {
        resolve();
      });
    });
  try {
    const { size } = fstatSync(descriptor);
    const start = Buffer.alloc(START_BYTES);
    const length = readSync(descriptor, start, 0, START_BYTES, 0);
    return { descriptor, size, start: start.toString('latin1', 0, length), close };
  } catch (error) {
    void close();
    throw error;
  }
}

function openIfThere(path: string): number | undefined {
  try {
    return openRegular({ openSync, fstatSync, closeSync, lstatSync, constants }, path, {
      flags: constants.O_RDWR,
      links: 'followed',
      refuse: (why) =>
        localFile(`cannot use the local service's state ${path}: ${why}`, 'Name another file, or move it away.'),
    });
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** A line without its end, and the position after its end. */
export interface FileLine {
  readonly text: string;
  readonly end: number;
}

const READ_BYTES = 1_048_576;
const NEWLINE = 10;

/** An incomplete last line is left out. */
export function* readLines(descriptor: number, from: number): Generator<FileLine> {
  const chunk = Buffer.allocUnsafe(READ_BYTES);
  let begun: Buffer[] = [];
  let position = from;
  for (;;) {
    const length = readSync(descriptor, chunk, 0, READ_BYTES, position);
    if (length === 0) return;
    const read = chunk.subarray(0, length);
    let at = 0;
    for (let end = read.indexOf(NEWLINE); end >= 0; end = read.indexOf(NEWLINE, at)) {
      const rest = read.subarray(at, end);
      const text = begun.length === 0 ? rest.toString() : Buffer.concat([...begun, rest]).toString();
      begun = [];
      at = end + 1;
      yield { text, end: position + at };
    }
    if (at < length) begun.push(Buffer.from(read.subarray(at)));
    position += length;
  }
}
