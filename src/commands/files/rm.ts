import { createSorter, type Sorter } from '../../core/external-sort.ts';
import { rethrowUnlessFailure } from '../../core/failure.ts';
import type { Bytes } from '../../core/unit-types.ts';
import { formatBytes } from '../../core/units.ts';
import type { VolumeFile, VolumeFiles } from '../../core/file-ports.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { defineCommand } from '../../cli/model/command.ts';
import { arg, option } from '../../cli/model/params.ts';
import { countOf } from '../../cli/words.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import {
  addressText,
  expandPlace,
  filesBelow,
  findOnVolume,
  isFolderFailure,
  openVolume,
  parseVolumeAddress,
  type VolumeAddress,
} from './file-address.ts';
import { FILE_OUTCOMES, type FileOutcome } from './file-outcomes.ts';
import { printOutcomes } from './progress.ts';

interface Target {
  readonly of: number;
  readonly file: VolumeFile;
}

interface Targets {
  readonly places: readonly { readonly address: VolumeAddress; readonly volume: VolumeFiles }[];
  readonly files: Sorter<Target>;
  readonly count: number;
  readonly bytes: Bytes;
  readonly hasFolder: boolean;
}

export const rm = defineCommand({
  summary: 'remove files of a network volume',
  details:
    'The volume stays. A folder is removed with --recursive: the files that were there when it was listed, one after the other. A folder without files stays. Nothing is removed when the list cannot be read whole.',
  args: { place: arg.many('VOLUME:PATH', { metavar: 'PLACE', complete: 'volume-path' }) },
  writes: true,
  needs: 'full',
  options: { recursive: option.on('also folders, with all that is in them', { short: '-r' }) },
  output: FILE_OUTCOMES,
  prepare: async (ctx, { place, recursive }): Promise<Targets> => {
    const places: { readonly address: VolumeAddress; readonly volume: VolumeFiles }[] = [];
    const files = createSorter<Target>(
      await ctx.durable(),
      ({ of, file }) => `${String(of).padStart(8, '0')} ${file.key}`,
    );
    let [count, bytes, hasFolder] = [0, 0, false];
    const add = async (file: VolumeFile): Promise<void> => {
      count += 1;
      bytes += file.bytes;
      await files.add([{ of: places.length - 1, file }]);
    };
    for (const given of place) {
      const named = parseVolumeAddress(given);
      const volume = await openVolume(ctx, named.volume);
      for (const address of await expandPlace(volume, named)) {
        const found = await findOnVolume(volume, address);
        if (found.kind === 'folder' && !recursive) throw isFolderFailure(addressText(address));
        places.push({ address, volume });
        hasFolder ||= found.kind === 'folder' && found.key !== '';
        if (found.kind === 'file') await add(found.file);
        else for await (const file of filesBelow(volume, found.key)) await add(file);
      }
    }
    return { places, files, count, bytes, hasFolder };
  },
  confirm: async (_, { place }, { places, count, bytes }) => {
    if (count === 0) return undefined;
    const line = `This removes ${countOf(count, 'file')}, ${formatBytes(bytes)}: ${place.join(', ')}.`;
    // As much is lost as when the volume is deleted.
    const whole = places.find(({ address }) => address.path === '');
    return whole === undefined ? line : { lines: [line], typed: whole.address.volume };
  },
  examples: [
    ['berth files rm -r datasets:inputs --dry-run', 'see what a folder has before it is removed'],
    ['berth files rm datasets:inputs/items.jsonl --yes', 'one file, without a question'],
  ],
  run: async (ctx, _, { places, files, hasFolder }) =>
    await printOutcomes(ctx, removeAll(ctx, places, files), 'removed', {
      notes: hasFolder && isTableOutput(ctx.output) ? ['Folders stay on a volume when their files are removed.'] : [],
    }),
});

async function* removeAll(
  ctx: CommandContext,
  places: Targets['places'],
  files: Targets['files'],
): AsyncGenerator<FileOutcome> {
  for await (const { of, file } of files.sorted()) {
    const place = places[of];
    if (place === undefined) continue;
    const outcome = { from: addressText({ ...place.address, path: file.key }), to: undefined, bytes: file.bytes };
    try {
      if (!ctx.dryRun) await place.volume.remove(file.key);
      yield { ...outcome, failure: undefined };
    } catch (error) {
      rethrowUnlessFailure(error, ctx);
      yield { ...outcome, failure: error };
    }
  }
}
