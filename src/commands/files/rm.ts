import { addressText, filesOf, findAll, isFolderFailure, parseVolumeAddress, volumeOpener } from './address.ts';
import { FILE_OUTCOMES, notDone, printOutcomes, removeFiles } from './outcomes.ts';
import { ask, requireYes } from '../../cli/ask.ts';
import { defineCommand, yesOption } from '../../cli/model/command.ts';
import { arg, option } from '../../cli/model/params.ts';
import { countOf } from '../../cli/words.ts';
import type { VolumeFiles } from '../../core/file-ports.ts';
import { formatBytes } from '../../core/units.ts';

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
  output: () => FILE_OUTCOMES,
  examples: [
    ['berth files rm -r datasets:inputs --dry-run', 'see what a folder has before it is removed'],
    ['berth files rm datasets:inputs/items.jsonl --yes', 'one file, without a question'],
  ],
  run: async (ctx, { place, recursive }) => {
    requireYes(ctx);
    const open = volumeOpener(ctx);
    const addresses = place.map(parseVolumeAddress);
    const files: { from: string; bytes: number; remove: () => Promise<void> }[] = [];
    const folders: (() => Promise<void>)[] = [];
    for (const address of addresses) {
      const volume = await open(address.volume);
      for (const found of await findAll(volume, address)) {
        if (found.kind === 'folder' && !recursive) throw isFolderFailure(addressText(address));
        if (found.kind === 'folder') folders.push(() => removeEmpty(volume, found.key));
        for await (const { key, bytes } of filesOf(volume, found))
          files.push({ from: addressText({ ...address, path: key }), bytes, remove: () => volume.remove(key) });
      }
    }
    if (files.length > 0) {
      const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
      const line = `This removes ${countOf(files.length, 'file')}, ${formatBytes(bytes)}: ${place.join(', ')}.`;
      // As much is lost as when the volume is deleted.
      const all = addresses.find(({ path }) => path === '');
      await ask(ctx, all === undefined ? { line } : { line, typed: all.volume });
    }
    const result = await printOutcomes(ctx, removeFiles(ctx, files), 'removed');
    if (result.failure !== undefined) return result;
    for (const remove of folders)
      await remove().catch((error: unknown) => {
        const { failure } = notDone(error, ctx);
        if (failure !== undefined) throw failure;
      });
    return result;
  },
});

/** A folder outlives its files, and is listed once it is empty: the one that it is in follows. */
async function removeEmpty(volume: VolumeFiles, folder: string): Promise<void> {
  const removed = new Set<string>();
  for (let before = -1; before < removed.size;) {
    before = removed.size;
    for await (const { kind, key } of volume.list(folder))
      if (kind === 'folder' && !removed.has(key)) {
        removed.add(key);
        await volume.remove(key);
      }
  }
  if (folder !== '' && !(await volume.isFolder(folder))) await volume.remove(folder);
}
