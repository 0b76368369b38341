import { usage } from '../../core/failure.ts';
import { encodeJson, type JsonObject } from '../../core/json.ts';
import { formatBytes } from '../../core/units.ts';
import type { Files } from '../../core/context.ts';
import { readInputBytes, checkedJsonText, type RawInput } from '../shared/json-input.ts';

/** Payload bounds in bytes (specification 8.2); a megabyte is 1,000,000 bytes. */
export const PAYLOAD_LIMIT = { run: 10_000_000, runsync: 20_000_000 } as const;

/**
 * The input as `--input` or `--input-file` gives it: JSON text, `@FILE`, or `-` for stdin. Fails with usage (2) where
 * it is missing or given twice, with local-file (14) where a file cannot be read.
 */
export async function readInput(
  files: Files,
  input: string | undefined,
  inputFile: string | undefined,
): Promise<RawInput> {
  if (input !== undefined && inputFile !== undefined)
    throw usage('--input and --input-file are both given', 'Keep one of them.');
  if (inputFile !== undefined)
    return { bytes: await files.read(inputFile), from: inputFile === '-' ? 'stdin' : inputFile };
  if (input === undefined)
    throw usage('missing --input', `--input '{"prompt":"hello"}', --input @FILE, or --input - for stdin`);
  return await readInputBytes(files, input);
}

/**
 * The body of run and runsync: the input byte for byte as it was given, wrapped, with the other members beside it. A
 * byte order mark and white space around the input are dropped. Fails with usage (2) for what is not UTF-8, not JSON
 * (with line and column), or over the payload limit.
 */
export function jobBody(given: RawInput, others: JsonObject, operation: keyof typeof PAYLOAD_LIMIT): Uint8Array {
  const text = checkedJsonText(given);
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
