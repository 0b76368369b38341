import type { RangeFiles } from '../../../core/context.ts';
import { severalAtOnce } from '../../../core/control/several-at-once.ts';
import { rethrowUnlessFailure } from '../../../core/failure.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import type { Copy } from './copy.ts';
import type { WasThere } from './transfer/was-there.ts';
import type { Transferred } from './transfer/transfer.ts';
import { contentOf } from './transfer/upload.ts';

/** How many targets are looked at at once, and how many results may wait for an earlier one. */
const LIMITS = { atOnce: 16, ahead: 10_000 };

/**
 * What copies would do in a dry run, in the order given: nothing is sent, and what is at the target is compared as the copy would
 * compare it. A file that cannot be compared has the failure. `asks` says for which targets a volume is asked.
 */
export async function* wouldCopy(
  ctx: CommandContext,
  copies: AsyncIterable<Copy>,
  asks: (copy: Copy) => boolean,
): AsyncGenerator<Transferred> {
  const files = await ctx.durable();
  const look = async (copy: Copy): Promise<Transferred> => {
    const isKnown = copy.isNew === true || (copy.to.kind === 'volume' && !asks(copy));
    if (copy.refused !== undefined || isKnown) return { copy, failure: copy.refused };
    try {
      return { copy, wasThere: await atTarget(files, copy), failure: undefined };
    } catch (error) {
      rethrowUnlessFailure(error, ctx);
      return { copy, failure: error };
    }
  };
  yield* severalAtOnce(copies, look, LIMITS);
}

async function atTarget(files: RangeFiles, { from, to }: Copy): Promise<WasThere> {
  if (to.kind === 'local') {
    const bytes = await files.size(to.path);
    if (bytes === undefined) return 'nothing';
    const isSame = from.kind === 'volume' && (await isSameFile(files, from, to.path, bytes));
    return isSame ? 'same' : 'other';
  }
  const there = await to.volume.find(to.key);
  if (there === undefined) return 'nothing';
  if (from.kind === 'volume')
    return there.bytes === from.file.bytes && there.version === from.file.version ? 'same' : 'other';
  return (await isSameFile(files, { volume: to.volume, file: there }, from.path, from.file.bytes)) ? 'same' : 'other';
}

const isSameFile = (
  files: RangeFiles,
  { volume, file }: Pick<Copy['from'] & { readonly kind: 'volume' }, 'volume' | 'file'>,
  path: string,
  bytes: number,
): Promise<boolean> => volume.isSame(file, { bytes, ...contentOf(files, path) });
