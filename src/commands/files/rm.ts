import {
  addressText,
  expandPlace,
  filesBelow,
  findOnVolume,
  isFolderFailure,
  parseVolumeAddress,
  type VolumeAddress,
  volumeOpener,
} from './address.ts';
import { FILE_OUTCOMES, printOutcomes, removeFiles } from './outcomes.ts';
import { ask, requireYes } from '../../cli/ask.ts';
import { defineCommand, yesOption } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { arg, option } from '../../cli/model/params.ts';
import { countOf } from '../../cli/words.ts';
import type { VolumeFiles } from '../../core/file-ports.ts';
import type { Bytes } from '../../core/unit-types.ts';
import { formatBytes } from '../../core/units.ts';

interface Target {
  readonly address: VolumeAddress;
  readonly volume: VolumeFiles;
  readonly key: string;
  readonly bytes: Bytes;
}

export const rm = defineCommand({
  summary: 'remove files of a network volume',
  details:
    'With --recursive, a folder: the files that were in it when it was listed. Nothing is removed where the list is incomplete.',
  args: { place: arg.many('VOLUME:PATH', { metavar: 'PLACE', complete: 'volume-path' }) },
  writes: true,
  destroys: true,
  needs: 'full',
  options: {
    recursive: option.on('remove folders with everything in them', { short: '-r' }),
    yes: yesOption,
  },
  output: FILE_OUTCOMES,
  examples: [
    ['berth files rm -r datasets:inputs --dry-run', 'see what a folder has before it is removed'],
    ['berth files rm datasets:inputs/items.jsonl --yes', 'one file, without a question'],
  ],
  run: async (ctx, { place, recursive }) => {
    requireYes(ctx);
    const files = await filesToRemove(ctx, place, recursive);
    if (files.length > 0) {
      const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
      const line = `This removes ${countOf(files.length, 'file')}, ${formatBytes(bytes)}: ${place.join(', ')}.`;
      // As much is lost as when the volume is deleted.
      const all = files.find(({ address }) => address.path === '');
      await ask(ctx, all === undefined ? { line } : { line, typed: all.address.volume });
    }
    const outcomes = removeFiles(ctx, files, ({ address, volume, key, bytes }) => ({
      about: { from: addressText({ ...address, path: key }), bytes },
      remove: () => volume.remove(key),
    }));
    return await printOutcomes(ctx, outcomes, 'removed');
  },
});

async function filesToRemove(
  ctx: CommandContext,
  places: readonly string[],
  isRecursive: boolean,
): Promise<readonly Target[]> {
  const open = volumeOpener(ctx);
  const targets: Target[] = [];
  for (const given of places) {
    const named = parseVolumeAddress(given);
    const volume = await open(named.volume);
    for (const address of await expandPlace(volume, named)) {
      const found = await findOnVolume(volume, address);
      if (found.kind === 'folder' && !isRecursive) throw isFolderFailure(addressText(address));
      for await (const { key, bytes } of found.kind === 'file' ? [found.file] : filesBelow(volume, found.key))
        targets.push({ address, volume, key, bytes });
    }
  }
  return targets;
}
