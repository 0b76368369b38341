import { promises as fs } from 'node:fs';
import { Failure, localFile } from '../../core/failure.ts';
import { errorReason } from '../../core/file-errors.ts';
import { absolutePath } from './absolute-path.ts';
import { collect, readBytes } from './read-bytes.ts';
import type { World } from '../world.ts';

/** A key is one line; more than this is another file. Bytes. */
const MOST = 64 * 1024;

/** How long a pipe may take to give the key. Milliseconds. */
const PATIENCE_MS = 5000;

/**
 * Reads the file that BERTH_API_KEY_FILE names: a regular file, or a pipe that gives the key in time. Fails with
 * local-file (14) for anything else, and with the signal's reason when the command is interrupted.
 */
export async function readKeyFile(
  world: Pick<World, 'cwd' | 'clock'>,
  path: string,
  interrupt: AbortSignal,
): Promise<string> {
  const patience = world.clock.deadline(PATIENCE_MS);
  try {
    const place = absolutePath(world, path);
    const found = await fs.stat(place);
    if (!found.isFile() && !found.isFIFO()) throw unusable(path, 'it is neither a regular file nor a pipe');
    const bytes = await collect(readBytes(place, AbortSignal.any([interrupt, patience.signal])), MOST);
    if (bytes === undefined) throw unusable(path, 'it has more than 64 KiB');
    return bytes.toString('utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    if (interrupt.aborted) throw interrupt.reason;
    if (patience.signal.aborted) throw unusable(path, 'it gave no key within 5 seconds');
    throw error instanceof Failure ? error : unusable(path, errorReason(error));
  } finally {
    patience.cancel();
  }
}

const unusable = (path: string, why: string): Failure =>
  localFile(`cannot read the key file ${path}: ${why}`, 'BERTH_API_KEY_FILE names it.');
