import { formatBytes } from '../../core/units.ts';
import { type Json, numberAt, stringAt } from '../../core/json.ts';
import { defineCommand } from '../../cli/model/command.ts';
import { manyOf, ownObject, TEXT, WHOLE } from '../../cli/model/output-schema.ts';
import { textColumn } from '../../cli/resource/fields.ts';
import { text } from '../../output/cells.ts';
import type { View } from '../../output/view.ts';
import { expandPlace, filesBelow, findOnVolume, openVolume, parseVolumeAddress } from './file-address.ts';
import { PLACE } from './ls.ts';

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
  details: 'A line for each folder directly below the place, the largest first, and one for all of it, the last.',
  args: { place: PLACE },
  output: manyOf(ownObject({ path: TEXT, files: WHOLE, bytes: WHOLE })),
  examples: [['berth files du datasets:', 'what takes the space']],
  run: async (ctx, { place }) => {
    const address = parseVolumeAddress(place);
    const volume = await openVolume(ctx, address.volume);
    const places = await expandPlace(volume, address);
    if (places.length > 1 || places[0]?.path !== address.path) {
      const all = { files: 0, bytes: 0 };
      const values: Json[] = [];
      for (const each of places) {
        const sum = { files: 0, bytes: 0 };
        const found = await findOnVolume(volume, each);
        if (found.kind === 'file') add(sum, found.file.bytes);
        else for await (const { bytes } of filesBelow(volume, found.key)) add(sum, bytes);
        values.push({ path: found.kind === 'file' ? found.file.key : found.key, ...sum });
        all.files += sum.files;
        all.bytes += sum.bytes;
      }
      return { kind: 'many', view, values: [...values, { path: address.path, ...all }] };
    }
    const found = await findOnVolume(volume, address);
    if (found.kind === 'file')
      return { kind: 'many', view, values: [{ path: found.file.key, files: 1, bytes: found.file.bytes }] };
    const sums = new Map<string, { files: number; bytes: number }>();
    const all = { files: 0, bytes: 0 };
    for await (const { key, bytes } of filesBelow(volume, found.key)) {
      const slash = key.indexOf('/', found.key.length);
      add(all, bytes);
      if (slash < 0) continue;
      const folder = key.slice(0, slash + 1);
      const sum = sums.get(folder) ?? { files: 0, bytes: 0 };
      add(sum, bytes);
      sums.set(folder, sum);
    }
    const rows = [...sums].map(([path, sum]): Json => ({ path, ...sum }));
    rows.sort((one, other) => (numberAt(other, 'bytes') ?? 0) - (numberAt(one, 'bytes') ?? 0));
    return { kind: 'many', view, values: [...rows, { path: found.key, ...all }] };
  },
});

function add(sum: { files: number; bytes: number }, bytes: number): void {
  sum.files += 1;
  sum.bytes += bytes;
}
