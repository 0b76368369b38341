import { usage } from '../../core/failure.ts';
import { formatBytes } from '../../core/units.ts';
import type { Files } from '../../core/context.ts';
import { PAYLOAD_LIMITS } from '../../queue/limits.ts';
import { submissionBody } from '../../queue/submission.ts';
import { checkedJsonText, readInputBytes, type RawInput } from '../shared/json-input.ts';

/**
 * Reads the input that `--input` or `--input-file` gives: JSON text, `@FILE`, or `-` for stdin. Fails with usage (2)
 * when it is missing or given twice, with local-file (14) when a file cannot be read.
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
 * Returns the body of run or runsync with the input byte for byte as given, without a byte order mark and white space
 * around it. `options` is the text of the members beside the input. Fails with usage (2) when the input is not UTF-8,
 * not JSON (with line and column), or over the payload limit.
 */
export function jobBody(given: RawInput, options: string, operation: keyof typeof PAYLOAD_LIMITS): Uint8Array {
  const body = submissionBody(new TextEncoder().encode(checkedJsonText(given)), options);
  const limit = PAYLOAD_LIMITS[operation];
  if (body.length > limit)
    throw usage(
      `the payload is ${formatBytes(body.length)} (${body.length} bytes); ${operation} takes at most ${formatBytes(limit)} (${limit} bytes)`,
      operation === 'run'
        ? 'Pass a link to the data in place of the data, or use --sync (up to 20 MB).'
        : 'Pass a link to the data in place of the data.',
    );
  return body;
}
