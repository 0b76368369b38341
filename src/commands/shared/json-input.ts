import type { Files } from '../../core/context.ts';
import { usage } from '../../core/failure.ts';
import { decodeJson, JsonSyntaxError } from '../../core/json.ts';

/** Input of the user as bytes, before it is decoded. */
export interface RawInput {
  readonly bytes: Uint8Array;
  /** Where it came from, for messages: a file name, a flag, stdin. */
  readonly from: string;
}

/** Reads the value of `--input`: the text itself, `@FILE`, or `-` for stdin. Fails with local-file (14). */
export async function readInputBytes(files: Files, input: string): Promise<RawInput> {
  if (input === '-') return { bytes: await files.read('-'), from: 'stdin' };
  if (input.startsWith('@')) return { bytes: await files.read(input.slice(1)), from: input.slice(1) };
  return { bytes: new TextEncoder().encode(input), from: '--input' };
}

/**
 * Decodes and validates JSON and returns its text unchanged, without a byte order mark and white space around it. Fails
 * with usage (2), with line and column, where it is not UTF-8 or not JSON.
 */
export function checkedJsonText(given: RawInput): string {
  const text = utf8(given).trim();
  validate(text, given.from);
  return text;
}

function utf8({ bytes, from }: RawInput): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const valid = bytes.subarray(0, validPrefixLength(bytes));
    const lines = new TextDecoder().decode(valid, { stream: true }).split('\n');
    throw usage(
      `${from} is not UTF-8 text: line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}: byte ${valid.length + 1} is broken`,
      'JSON is UTF-8: convert it first.',
    );
  }
}

function validate(text: string, from: string): void {
  if (text === '') throw usage(`${from} is empty`, 'The input is JSON, such as {"prompt":"hello"}.');
  try {
    decodeJson(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw usage(
      `${from} is not JSON: line ${error.line}, column ${error.column}: ${error.message}`,
      'Quote JSON for the shell: --input \'{"prompt":"hello"}\'',
    );
  }
}

/** The length of the longest prefix that is valid UTF-8, found by binary search. */
function validPrefixLength(bytes: Uint8Array): number {
  let valid = 0;
  let invalid = bytes.length;
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >> 1;
    if (decodes(bytes.subarray(0, middle))) valid = middle;
    else invalid = middle;
  }
  return valid;
}

function decodes(bytes: Uint8Array): boolean {
  try {
    // `stream` accepts a character that is cut off at the end, so only an invalid one fails.
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
