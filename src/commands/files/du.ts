import { filesOf, findAll, parseVolumeAddress, volumeOpener } from './address.ts';
import { PLACE } from './ls.ts';
import { defineCommand } from '../../cli/model/command.ts';
import { manyOf, ownObject, TEXT, WHOLE } from '../../cli/model/output-schema.ts';
import { textColumn } from '../../cli/resource/fields.ts';
import { numberAt, stringAt } from '../../core/json.ts';
import { formatBytes } from '../../core/units.ts';
import { text } from '../../output/cells.ts';
import type { View } from '../../output/view.ts';

const view: View = {
  noun: ['folder', 'folders'],
  id: (row) => text(row, 'path'),
  members: ['path', 'files', 'bytes'],
  columns: [
    { header: 'SIZE', show: (row) => formatBytes(numberAt(row, 'bytes') ?? 0), right: true },
    textColumn('files', { right: true }),
    { header: 'PATH', show: (row) => (stringAt(row, 'path') === '' ? '(all)' : text(row, 'path')), cutLast: true },
  ],
};

export const du = defineCommand({
  summary: 'show how much space the folders of a network volume take',
  details: 'A line for each folder directly below the place, the largest first, and the sum as the last line.',
  args: { place: PLACE },
  output: () => manyOf(ownObject({ path: TEXT, files: WHOLE, bytes: WHOLE })),
  examples: [['berth files du datasets:', 'what takes the space']],
  run: async (ctx, { place }) => {
    const address = parseVolumeAddress(place);
    const volume = await volumeOpener(ctx)(address.volume);
    const all = { path: address.path, files: 0, bytes: 0 };
    const folders = new Map<string, typeof all>();
    for (const found of await findAll(volume, address)) {
      const key = found.kind === 'file' ? found.file.key : found.key;
      if (found.kind === 'folder') all.path = key;
      for await (const file of filesOf(volume, found)) {
        const path = file.key.slice(0, file.key.indexOf('/', key.length) + 1);
        const folder = folders.get(path) ?? { path, files: 0, bytes: 0 };
        if (path.length > key.length) folders.set(path, folder);
        for (const sum of [all, folder]) {
          sum.files += 1;
          sum.bytes += file.bytes;
        }
      }
    }
    return {
      kind: 'many',
      view,
      values: [...[...folders.values()].sort((one, other) => other.bytes - one.bytes), all],
    };
  },
});
