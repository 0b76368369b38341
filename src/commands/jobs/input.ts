import type { Files } from '../../core/context.ts';
import { usage } from '../../core/failure.ts';
import { decodeJson, JsonSyntaxError } from '../../core/json.ts';
import { utf8Text } from '../../core/text.ts';

export interface RawInput {
  readonly bytes: Uint8Array;
  readonly from: string;
}

/** Text, `@FILE`, or `-` for stdin. Local-file (14). */
export async function readInputBytes(files: Files, input: string): Promise<RawInput> {
  if (input === '-') return { bytes: await files.read('-'), from: 'stdin' };
  if (input.startsWith('@')) return { bytes: await files.read(input.slice(1)), from: input.slice(1) };
  return { bytes: new TextEncoder().encode(input), from: '--input' };
}

/** Returns the text unchanged, without BOM and outer white space. Usage (2) with line and column. */
export function checkedJsonText({ bytes, from }: RawInput): string {
  const text = utf8Text(bytes, from, 'JSON is UTF-8: convert it first.');
  if (text.trim() === '') throw usage(`${from} is empty`, 'The input is JSON, such as {"prompt":"hello"}.');
  try {
    decodeJson(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw usage(
      `${from} is not JSON: line ${error.line}, column ${error.column}: ${error.message}`,
      from === '--input'
        ? 'Quote JSON for the shell: --input \'{"prompt":"hello"}\'; a file is @FILE'
        : 'JSON has double quotes, and neither comments nor trailing commas.',
    );
  }
  return text.trim();
}
