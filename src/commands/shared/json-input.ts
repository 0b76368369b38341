import type { Files } from '../../core/context.ts';
import { usage } from '../../core/failure.ts';
import { decodeJson, JsonSyntaxError } from '../../core/json.ts';

/** Text that a person gave. */
export interface RawInput {
  readonly bytes: Uint8Array;
  /** Where it came from, for messages: a file, a flag, stdin. */
  readonly from: string;
}

/** What `--input` names: the text itself, `@FILE`, or `-` for stdin. Fails with local-file (14). */
export async function readInputBytes(files: Files, input: string): Promise<RawInput> {
  if (input === '-') return { bytes: await files.read('-'), from: 'stdin' };
  if (input.startsWith('@')) return { bytes: await files.read(input.slice(1)), from: input.slice(1) };
  return { bytes: new TextEncoder().encode(input), from: '--input' };
}

/**
 * RawInput JSON, checked and as it was written; a byte order mark and white space around it are dropped. Fails with usage
 * (2), with line and column, for what is not UTF-8 or not JSON.
 */
export function checkedJsonText(given: RawInput): string {
  const text = utf8(given).trim();
  check(text, given.from);
  return text;
}

function utf8({ bytes, from }: RawInput): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const good = bytes.subarray(0, goodBytes(bytes));
    const lines = new TextDecoder().decode(good, { stream: true }).split('\n');
    throw usage(
      `${from} is not UTF-8 text: line ${String(lines.length)}, column ${String((lines.at(-1)?.length ?? 0) + 1)}: byte ${String(good.length + 1)} is broken`,
      'JSON is UTF-8: convert it first.',
    );
  }
}

function check(text: string, from: string): void {
  if (text === '') throw usage(`${from} is empty`, 'The input is JSON, such as {"prompt":"hello"}.');
  try {
    decodeJson(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw usage(
      `${from} is not JSON: line ${String(error.line)}, column ${String(error.column)}: ${error.message}`,
      'Quote JSON for the shell: --input \'{"prompt":"hello"}\'',
    );
  }
}

/** How many bytes are UTF-8 before it breaks: the longest prefix that decodes, found by halving. */
function goodBytes(bytes: Uint8Array): number {
  let good = 0;
  let bad = bytes.length;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (decodes(bytes.subarray(0, middle))) good = middle;
    else bad = middle;
  }
  return good;
}

function decodes(bytes: Uint8Array): boolean {
  try {
    // `stream` forgives a character cut off at the end, so that only a broken one counts.
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
