import type { RangeFiles } from '../../../../core/context.ts';
import { rethrowUnlessFailure, usage, type Failure } from '../../../../core/failure.ts';
import { severalAtOnce } from '../../../../core/control/several-at-once.ts';
import type { CommandContext } from '../../../../cli/model/context.ts';
import { download } from './download.ts';
import type { Copy } from '../copy.ts';
import type { WasThere } from './was-there.ts';
import { upload } from './upload.ts';
import { verifyCopy } from './verify.ts';
import { copyBetweenVolumes } from './between-volumes.ts';

/** What became of a copy. */
export interface Transferred {
  readonly copy: Copy;
  /** Undefined where it did not go through, or where it is not known. */
  readonly wasThere?: WasThere;
  /** Why it did not go through. */
  readonly failure: Failure | undefined;
}

/**
 * How many files are copied at once, and how many that ended may wait for an earlier one. The requests of all of them
 * together are limited by the volumes.
 */
const LIMITS = { atOnce: 16, ahead: 10_000 };

/**
 * Copies files, several at once, and yields what became of each in the order given. Copies are planned while others run; where
 * planning fails, those before are copied, and then it fails. `onBytes` is called with the number of bytes of a file that
 * arrived, or were there already. A copy that is refused is not begun. With
 * `verify`, what was copied is read back.
 */
export async function* transferFiles(
  ctx: CommandContext,
  copies: AsyncIterable<Copy>,
  onBytes: (copy: Copy, bytes: number) => void,
  verify = false,
): AsyncGenerator<Transferred> {
  const files = await ctx.durable();
  const transfer = async (copy: Copy): Promise<Transferred> => {
    if (copy.refused !== undefined) return { copy, failure: copy.refused };
    try {
      const wasThere = await copyFile(files, copy, (bytes) => {
        onBytes(copy, bytes);
      });
      if (verify) await verifyCopy(files, copy);
      return { copy, wasThere, failure: undefined };
    } catch (error) {
      rethrowUnlessFailure(error, ctx);
      return { copy, failure: error };
    }
  };
  yield* severalAtOnce(copies, transfer, LIMITS);
}

/** Copies a file. Returns what was there. */
async function copyFile(
  files: RangeFiles,
  { from, to, isNew }: Copy,
  onBytes: (bytes: number) => void,
): Promise<WasThere> {
  if (to.kind === 'local') {
    if (from.kind === 'local') throw usage('a local file is copied to a local file by other programs');
    const slash = Math.max(to.path.lastIndexOf('/'), to.path.lastIndexOf('\\'));
    if (slash > 0) await files.makeFolder(to.path.slice(0, slash));
    return await download(files, from.volume, from.file, to.path, onBytes);
  }
  return from.kind === 'local'
    ? await upload(files, to.volume, from.file, { key: to.key, isNew }, onBytes)
    : await copyBetweenVolumes(from, to, onBytes);
}
