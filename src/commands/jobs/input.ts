import { usage } from '../../core/failure.ts';
import { decodeJson, encodeJson, JsonSyntaxError, type JsonObject } from '../../core/json.ts';
import { formatBytes } from '../../core/units.ts';
import type { Files } from '../../core/context.ts';

/** Payload bounds in bytes (specification 8.2); a megabyte is 1,000,000 bytes. */
export const PAYLOAD_LIMIT = { run: 10_000_000, runsync: 20_000_000 } as const;

/** Where the input came from, for messages. */
interface Given {
  readonly bytes: Uint8Array;
  readonly from: string;
}

/**
 * The input as `--input` or `--input-file` gives it: JSON text, `@FILE`, or `-` for stdin. Fails with usage (2) where
 * it is missing or given twice, with local-file (14) where a file cannot be read.
 */
export async function readInput(
  files: Files,
  input: string | undefined,
  inputFile: string | undefined,
): Promise<Given> {
  if (input !== undefined && inputFile !== undefined)
    throw usage('--input and --input-file are both given', 'Keep one of them.');
  if (inputFile !== undefined)
    return { bytes: await files.read(inputFile), from: inputFile === '-' ? 'stdin' : inputFile };
  if (input === undefined)
    throw usage('missing --input', `--input '{"prompt":"hello"}', --input @FILE, or --input - for stdin`);
  if (input === '-') return { bytes: await files.read('-'), from: 'stdin' };
  if (input.startsWith('@')) return { bytes: await files.read(input.slice(1)), from: input.slice(1) };
  return { bytes: new TextEncoder().encode(input), from: '--input' };
}

/**
 * The body of run and runsync: the input byte for byte as it was given, wrapped, with the other members beside it. A
 * byte order mark and white space around the input are dropped. Fails with usage (2) for what is not UTF-8, not JSON
 * (with line and column), or over the payload limit.
 */
export function jobBody(given: Given, others: JsonObject, operation: keyof typeof PAYLOAD_LIMIT): Uint8Array {
  const text = utf8(given).trim();
  check(text, given.from);
  const rest = encodeJson(others).slice(1, -1);
  const body = new TextEncoder().encode(`{"input":${text}${rest === '' ? '' : `,${rest}`}}`);
  const limit = PAYLOAD_LIMIT[operation];
  if (body.length > limit)
    throw usage(
      `the payload is ${formatBytes(body.length)} (${String(body.length)} bytes); ${operation} takes at most ${formatBytes(limit)} (${String(limit)} bytes)`,
      operation === 'run'
        ? 'Pass a link to the data in place of the data, or use --sync (up to 20 MB).'
        : 'Pass a link to the data in place of the data.',
    );
  return body;
}

function utf8({ bytes, from }: Given): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw usage(
      `${from} is not UTF-8 text (the first broken byte is byte ${String(brokenAt(bytes))})`,
      'JSON is UTF-8: convert the file first.',
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

/** Where UTF-8 breaks, counted from 1: the shortest prefix that does not decode, found by halving. */
function brokenAt(bytes: Uint8Array): number {
  let good = 0;
  let bad = bytes.length;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (decodes(bytes.subarray(0, middle))) good = middle;
    else bad = middle;
  }
  return good + 1;
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
