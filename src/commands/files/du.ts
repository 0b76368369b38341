import { expandPlace, filesBelow, findOnVolume, openVolume, parseVolumeAddress } from './address.ts';
import { PLACE } from './ls.ts';
import { defineCommand } from '../../cli/model/command.ts';
import { manyOf, ownObject, TEXT, WHOLE } from '../../cli/model/output-schema.ts';
import { textColumn } from '../../cli/resource/fields.ts';
import { type Json, numberAt, stringAt } from '../../core/json.ts';
import { formatBytes } from '../../core/units.ts';
import { text } from '../../output/cells.ts';
import type { View } from '../../output/view.ts';

const view: View = {
  noun: ['folder', 'folders'],
  id: text('path'),
  members: ['path', 'files', 'bytes'],
  columns: [
    { header: 'SIZE', show: (row) => formatBytes(numberAt(row, 'bytes') ?? 0), right: true },
    textColumn('files', { right: true }),
    { header: 'PATH', show: (row) => (stringAt(row, 'path') === '' ? '(all)' : text('path')(row)), cutLast: true },
  ],
};

export const du = defineCommand({
  summary: 'show how much space the folders of a network volume take',
  details: 'A line for each folder directly below the place, the largest first, and the sum as the last line.',
  args: { place: PLACE },
  output: manyOf(ownObject({ path: TEXT, files: WHOLE, bytes: WHOLE })),
  examples: [['berth files du datasets:', 'what takes the space']],
  run: async (ctx, { place }) => {
    const address = parseVolumeAddress(place);
    const volume = await openVolume(ctx, address.volume);
    const places = await expandPlace(volume, address);
    const isPattern = places.length > 1 || places[0]?.path !== address.path;
    const sums = new Map<string, { files: number; bytes: number }>();
    const add = (folder: string, count: number, size: number): void => {
      const { files, bytes } = sums.get(folder) ?? { files: 0, bytes: 0 };
      sums.set(folder, { files: files + count, bytes: bytes + size });
    };
    const all = { files: 0, bytes: 0 };
    let path = address.path;
    for (const each of places) {
      const found = await findOnVolume(volume, each);
      const key = found.kind === 'file' ? found.file.key : found.key;
      if (isPattern) add(key, 0, 0);
      else path = key;
      for await (const file of found.kind === 'file' ? [found.file] : filesBelow(volume, key)) {
        const slash = file.key.indexOf('/', key.length);
        if (isPattern || slash > 0) add(isPattern ? key : file.key.slice(0, slash + 1), 1, file.bytes);
        all.files += 1;
        all.bytes += file.bytes;
      }
    }
    const rows = [...sums].map(([folder, sum]): Json => ({ path: folder, ...sum }));
    if (!isPattern) rows.sort((one, other) => (numberAt(other, 'bytes') ?? 0) - (numberAt(one, 'bytes') ?? 0));
    return { kind: 'many', view, values: [...rows, { path, ...all }] };
  },
});
