import type { Files } from '../../core/context.ts';
import { usage } from '../../core/failure.ts';
import { decodeJson, JsonSyntaxError } from '../../core/json.ts';
import { utf8Text } from '../../core/text.ts';

export interface RawInput {
  readonly bytes: Uint8Array;
  readonly from: string;
  /** A file has the name of this text: an @ is missing. */
  readonly fileNamed?: string;
}

/** Text, `@FILE`, or `-` for stdin. Local-file (14). */
export async function readInputBytes(files: Files, input: string): Promise<RawInput> {
  if (input === '-') return { bytes: await files.read('-'), from: 'stdin' };
  if (input.startsWith('@')) return { bytes: await files.read(input.slice(1)), from: input.slice(1) };
  const isFileName = /^[^\s{["]{1,200}$/.test(input) && (await files.mode(input).catch(() => undefined)) !== undefined;
  return { bytes: new TextEncoder().encode(input), from: '--input', ...(isFileName ? { fileNamed: input } : {}) };
}

/** Returns the text unchanged, without BOM and outer white space. Usage (2) with line and column. */
export function checkedJsonText(given: RawInput): string {
  const whole = utf8Text(given.bytes, given.from, 'JSON is UTF-8: convert it first.');
  const text = whole.trim();
  const before = whole.slice(0, whole.length - whole.trimStart().length);
  validate(text, before.split('\n'), given);
  return text;
}

/** `before`: lines of white space before the text; its last is the start of the first line. */
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

/** Only text on the command line can have lost its quotes to a shell. */
function hintFor({ from, fileNamed }: RawInput, place: string): string {
  if (fileNamed !== undefined) return `What a file holds is given with an @: --input @${fileNamed}`;
  if (from === '--input') return 'Quote JSON for the shell: --input \'{"prompt":"hello"}\'';
  return `Correct ${from === 'stdin' ? 'what stdin has' : `the file ${from}`}, at ${place}.`;
}
