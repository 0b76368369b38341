import { promises as fs } from 'node:fs';
import { collectBytes, errorReason } from '../../core/files.ts';
import { Failure, localFile } from '../../core/failure.ts';
import { absolutePath, readBytes } from './user-files.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { Bytes, Milliseconds } from '../../core/unit-types.ts';

const MAX_BYTES: Bytes = 64 * 1024;

/** For a pipe. */
const READ_TIMEOUT_MS: Milliseconds = 5000;

/**
 * Reads the file that BERTH_API_KEY_FILE names, or a pipe that gives the key in time. Local-file (14); the signal's reason on an
 * interrupt. Its owner and mode are those that a container or a CI gives it: whoever sets the variable has chosen the file.
 */
export async function readKeyFile(
  runtime: Pick<Runtime, 'cwd' | 'clock'>,
  path: string,
  interrupt: AbortSignal,
): Promise<string> {
  const timeout = runtime.clock.deadline(READ_TIMEOUT_MS);
  const unusable = (why: string): Failure =>
    localFile(`cannot use the key file ${path}: ${why}`, 'BERTH_API_KEY_FILE names it.');
  try {
    const absolute = absolutePath(runtime, path);
    const stats = await fs.stat(absolute);
    if (!stats.isFile() && !stats.isFIFO()) throw unusable('it is neither a regular file nor a pipe');
    const bytes = await collectBytes(readBytes(absolute, AbortSignal.any([interrupt, timeout.signal])), MAX_BYTES);
    if (bytes === undefined) throw unusable('it has more than 64 KiB');
    return bytes.toString('utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    if (interrupt.aborted) throw interrupt.reason;
    if (timeout.signal.aborted) throw unusable('it gave no key within 5 seconds');
    throw error instanceof Failure ? error : unusable(errorReason(error));
  } finally {
    timeout.cancel();
  }
}
