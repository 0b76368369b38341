import type { CommandContext } from '../../cli/model/context.ts';
import {
  addressText,
  expandPlace,
  type FileAddress,
  findOnVolume,
  isFolderFailure,
  lookOnVolume,
  openVolume,
  type VolumeAddress,
} from './file-address.ts';
import type { FileOutcome } from './file-outcomes.ts';
import { usage } from '../../core/failure.ts';
import type { VolumeFile } from '../../core/file-ports.ts';
import { berth, sentence } from '../../core/message.ts';

const FORMS = 'Write `files cp - VOLUME:PATH`, or `files cp VOLUME:PATH -`.';

/** Undefined if neither end is `-`. Usage (2) unless the other end is a file on a volume. */
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

/** Usage (2) for a folder. */
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

/** Usage (2) for a folder. */
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
