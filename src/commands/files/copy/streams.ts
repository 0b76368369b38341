import { usage } from '../../../core/failure.ts';
import { berth, sentence } from '../../../core/message.ts';
import type { VolumeFile } from '../../../core/ports/volume-files.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { addressText, type FileAddress, type VolumeAddress } from '../places/file-address.ts';
import { isFolderFailure } from '../places/file-failures.ts';
import { expandPlace } from '../places/globs.ts';
import { findOnVolume, lookOnVolume, openVolume } from '../places/open-volume.ts';
import type { FileOutcome } from '../../shared/paths/file-outcomes.ts';

const FORMS = 'Write `files cp - VOLUME:PATH`, or `files cp VOLUME:PATH -`.';

/**
 * The two ends of a copy from standard input or to standard output; undefined where `-` is none of them. Fails with usage (2) where
 * the other end is no file on a volume, and for options that need a file of this machine.
 */
export function streamEnds(
  places: readonly FileAddress[],
  { recursive, verify }: { readonly recursive: boolean; readonly verify: boolean },
): { readonly isRead: boolean; readonly place: VolumeAddress } | undefined {
  if (!places.some(({ kind }) => kind === 'stream')) return undefined;
  const [from, to] = places;
  const place = from?.kind === 'stream' ? to : from;
  if (places.length !== 2 || place?.kind !== 'volume')
    throw usage('- is copied to one file on a volume, or from one', FORMS);
  if (recursive || verify)
    throw usage(
      `${recursive ? '--recursive' : '--verify'} cannot be used with -`,
      'What is read once is no folder, and is not read again.',
    );
  return { isRead: from?.kind === 'stream', place };
}

/** Writes what standard input has to a file on a volume. Fails with usage (2) where a folder is meant. */
export async function* copyFromInput(ctx: CommandContext, place: VolumeAddress): AsyncGenerator<FileOutcome> {
  const volume = await openVolume(ctx, place.volume);
  const to = addressText(place);
  if (place.path === '' || place.path.endsWith('/') || (await lookOnVolume(volume, place))?.kind === 'folder')
    throw isFolderFailure(to, 'Standard input has no name: say which file it becomes.');
  if (ctx.dryRun) {
    yield { from: '-', to, bytes: 0, failure: undefined };
    return;
  }
  const input = (await ctx.durable()).read('-');
  const { bytes } = await volume.writeStream(place.path, input);
  yield { from: '-', to, bytes, failure: undefined };
}

/** Prints the files that an address on a volume stands for, one after the other. Fails with usage (2) for a folder. */
export async function copyToOutput(ctx: CommandContext, place: VolumeAddress): Promise<void> {
  const volume = await openVolume(ctx, place.volume);
  const files: VolumeFile[] = [];
  for (const address of await expandPlace(volume, place)) {
    const found = await findOnVolume(volume, address);
    if (found.kind === 'folder') {
      const shown = addressText(address);
      throw isFolderFailure(shown, sentence`See what is in it: ${berth`files ls ${shown}`}`);
    }
    files.push(found.file);
  }
  if (ctx.dryRun) return;
  for (const file of files) for await (const chunk of volume.read(file)) await ctx.rawOutput.write(chunk);
}
