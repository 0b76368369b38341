import { allowedAccess, requireAccess } from '../../core/access.ts';
import { rethrowUnlessFailure } from '../../core/failure.ts';
import { formatBytes } from '../../core/units.ts';
import type { VolumeFile, VolumeFiles } from '../../core/ports/volume-files.ts';
import { defineCommand } from '../../cli/model/command.ts';
import { arg, option } from '../../cli/model/params.ts';
import { countOf } from '../../cli/words/words.ts';
import { addressText, parseVolumeAddress, type VolumeAddress } from './places/address.ts';
import { isFolderFailure } from './places/file-failures.ts';
import { expandPlace } from './places/globs.ts';
import { filesBelow, findOnVolume, openVolume } from './places/open-volume.ts';
import { FILE_OUTCOMES, fileOutcomes, type FileOutcome } from '../shared/paths/file-outcomes.ts';

/** A file to remove, and the place that names it. */
interface Target {
  readonly address: VolumeAddress;
  readonly volume: VolumeFiles;
  readonly file: VolumeFile;
}

/** `berth files rm`: removes files of a volume. The volume itself is deleted by `volumes delete`. */
export const rm = defineCommand({
  summary: 'remove files of a network volume',
  details:
    'The volume stays. A folder is removed with --recursive: the files that were there when it was listed, one after the other. Nothing is removed when the list cannot be read whole.',
  args: { place: arg.many('VOLUME:PATH', { metavar: 'PLACE', complete: 'volume-path' }) },
  writes: true,
  options: { recursive: option.on('also folders, with all that is in them', { short: '-R' }) },
  output: FILE_OUTCOMES,
  prepare: async (ctx, { place, recursive }) => {
    if (!ctx.dryRun) requireAccess('full', allowedAccess(ctx.settings));
    const targets: Target[] = [];
    for (const given of place) {
      const named = parseVolumeAddress(given);
      const volume = await openVolume(ctx, named.volume);
      for (const address of await expandPlace(volume, named)) {
        const found = await findOnVolume(volume, address);
        if (found.kind === 'folder' && !recursive) throw isFolderFailure(addressText(address));
        if (found.kind === 'file') targets.push({ address, volume, file: found.file });
        else for await (const file of filesBelow(volume, found.key)) targets.push({ address, volume, file });
      }
    }
    return targets;
  },
  confirm: async (_, { place }, targets) => {
    const bytes = targets.reduce((sum, { file }) => sum + file.bytes, 0);
    return `This removes ${countOf(targets.length, 'file')}, ${formatBytes(bytes)}: ${place.join(', ')}.`;
  },
  examples: [
    ['berth files rm -R datasets:inputs --dry-run', 'see what a folder has before it is removed'],
    ['berth files rm datasets:inputs/items.jsonl --yes', 'one file, without a question'],
  ],
  run: async (ctx, _, targets) => {
    const outcomes: FileOutcome[] = [];
    for (const { address, volume, file } of targets) {
      const from = addressText({ ...address, path: file.key });
      try {
        if (!ctx.dryRun) await volume.remove(file.key);
        outcomes.push({ from, to: undefined, bytes: file.bytes, failure: undefined });
      } catch (error) {
        rethrowUnlessFailure(error, ctx);
        outcomes.push({ from, to: undefined, bytes: file.bytes, failure: error });
      }
    }
    return fileOutcomes(ctx, outcomes, 'removed');
  },
});
