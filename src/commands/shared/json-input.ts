import type { Files } from '../../core/context.ts';
import { usage } from '../../core/failure.ts';
import { decodeJson, JsonSyntaxError } from '../../core/json.ts';
import { utf8Text } from '../../core/text/utf8-text.ts';

/** Input of the user as bytes, before it is decoded. */
export interface RawInput {
  readonly bytes: Uint8Array;
  /** Where it came from, for messages: a file name, `--input`, stdin. */
  readonly from: string;
  /** It is text on the command line, and there is a file of that name: an @ is missing. */
  readonly fileNamed?: string;
}

/** Reads the value of `--input`: the text itself, `@FILE`, or `-` for stdin. Fails with local-file (14). */
export async function readInputBytes(files: Files, input: string): Promise<RawInput> {
  if (input === '-') return { bytes: await files.read('-'), from: 'stdin' };
  if (input.startsWith('@')) return { bytes: await files.read(input.slice(1)), from: input.slice(1) };
  const isFileName = /^[^\s{["]{1,200}$/.test(input) && (await files.mode(input).catch(() => undefined)) !== undefined;
  return { bytes: new TextEncoder().encode(input), from: '--input', ...(isFileName ? { fileNamed: input } : {}) };
}

/**
 * Decodes and validates JSON and returns its text unchanged, without a byte order mark and white space around it. Fails
 * with usage (2), with line and column, where it is not UTF-8 or not JSON.
 */
export function checkedJsonText(given: RawInput): string {
  const whole = utf8Text(given.bytes, given.from, 'JSON is UTF-8: convert it first.');
  const text = whole.trim();
  const before = whole.slice(0, whole.length - whole.trimStart().length);
  validate(text, before.split('\n'), given);
  return text;
}

/** `before` are the lines of white space before the text; the last one is the beginning of its first line. */
function validate(text: string, before: readonly string[], given: RawInput): void {
  const { from } = given;
  if (text === '') throw usage(`${from} is empty`, 'The input is JSON, such as {"prompt":"hello"}.');
  try {
    decodeJson(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    const line = error.line + before.length - 1;
    const column = error.column + (error.line === 1 ? (before.at(-1)?.length ?? 0) : 0);
    throw usage(
      `${from} is not JSON: line ${line}, column ${column}: ${error.message}`,
      hintFor(given, `line ${line}, column ${column}`),
    );
  }
}

/** What to do about text that is not JSON: only text on the command line can have lost its quotes to a shell. */
function hintFor({ from, fileNamed }: RawInput, place: string): string {
  if (fileNamed !== undefined) return `What a file holds is given with an @: --input @${fileNamed}`;
  if (from === '--input') return 'Quote JSON for the shell: --input \'{"prompt":"hello"}\'';
  return `Correct ${from === 'stdin' ? 'what stdin has' : `the file ${from}`}, at ${place}.`;
}
