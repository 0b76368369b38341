import { createSorter } from '../../core/files/external-sort.ts';
import { type Json, numberAt, stringAt } from '../../core/json.ts';
import type { EpochMs } from '../../core/unit-types.ts';
import { formatTimestamp } from '../../core/text/timestamp.ts';
import { formatBytes } from '../../core/units.ts';
import type { VolumeFile } from '../../core/ports/volume-files.ts';
import { defineCommand } from '../../cli/model/command.ts';
import { manyOf, oneOf, ownObject, TEXT, TIME, WHOLE } from '../../cli/model/output-schema.ts';
import { arg, option } from '../../cli/model/params.ts';
import { textColumn } from '../../cli/resource/fields/detail-lines.ts';
import { countOf } from '../../cli/words/words.ts';
import { age, text } from '../../output/cells/cell-functions.ts';
import type { View } from '../../output/view.ts';
import { parseVolumeAddress } from './places/file-address.ts';
import { printLongList } from './print-long-list.ts';
import { expandPlace } from './places/globs.ts';
import { filesBelow, findOnVolume, openVolumeWithSpace } from './places/open-volume.ts';

/** The argument for a file or a folder of a volume. */
export const PLACE = arg.text('VOLUME:PATH, or VOLUME for all of it', {
  metavar: 'PLACE',
  complete: 'volume-path',
});

const fileRow = ({ key, bytes, version, modifiedAt }: VolumeFile): Json => ({
  path: key,
  kind: 'file',
  bytes,
  ...(modifiedAt === undefined ? {} : { modifiedAt: formatTimestamp(modifiedAt) }),
  etag: version.replaceAll('"', ''),
});

const folderRow = (key: string): Json => ({ path: key, kind: 'folder' });

/** The view of files, whose ages are counted until `now`. */
const viewAt = (now: EpochMs): View => ({
  noun: ['file or folder', 'files and folders'],
  id: text('path'),
  members: ['path', 'kind', 'bytes', 'modifiedAt', 'etag'],
  columns: [
    { header: 'SIZE', show: (row) => sizeCell(row), right: true },
    { header: 'AGE', show: (row) => age('modifiedAt')(row, { now }), right: true },
    textColumn('path', { cutLast: true }),
    { header: 'ETAG', show: text('etag'), wide: true },
  ],
});

function sizeCell(row: Json): string {
  const bytes = numberAt(row, 'bytes');
  return bytes === undefined ? '' : formatBytes(bytes);
}

const pathOf = (row: Json): string => stringAt(row, 'path') ?? '';

/** A number from -1 to below 10^15, as a text that sorts the largest first. */
const largestFirst = (number: number): string => String(10 ** 15 - number).padStart(16, '0');

/** The texts by which rows are sorted. */
const ORDERS: Readonly<Record<'size' | 'time', (row: Json) => string>> = {
  size: (row) => `${largestFirst(numberAt(row, 'bytes') ?? -1)} ${pathOf(row)}`,
  time: (row) => `${largestFirst(Date.parse(stringAt(row, 'modifiedAt') ?? '') || 0)} ${pathOf(row)}`,
};

/** `berth files ls`: what is on a volume. */
export const ls = defineCommand({
  summary: 'list the files of a network volume',
  details:
    'Without --recursive it shows one folder: the files in it, and the folders with a slash at their end. The list is whole, or it is an error. The times are when the volume got the files; in the local service by the clock of this machine.',
  args: { place: PLACE },
  options: {
    recursive: option.on('also what is in the folders below', { short: '-R' }),
    sort: option.choice('by size, the largest first, or by time, the latest first (default path)', ['size', 'time']),
  },
  output: manyOf(
    ownObject({ path: TEXT, kind: oneOf('file', 'folder') }, { bytes: WHOLE, modifiedAt: TIME, etag: TEXT }),
  ),
  examples: [
    ['berth files ls datasets:', 'what is at the top'],
    ['berth files ls -R datasets:inputs --sort size', 'the largest files below a folder first'],
  ],
  run: async (ctx, { place: given, recursive, sort }) => {
    const address = parseVolumeAddress(given);
    const { files: volume, now } = await openVolumeWithSpace(ctx, address.volume);
    const rows = createSorter<Json>(await ctx.durable(), sort === undefined ? pathOf : ORDERS[sort]);
    let [files, bytes] = [0, 0];
    const addFile = async (file: VolumeFile): Promise<void> => {
      files += 1;
      bytes += file.bytes;
      await rows.add([fileRow(file)]);
    };
    const places = await expandPlace(volume, address);
    const isPattern = places.some(({ path }) => path !== address.path);
    try {
      for (const place of places) {
        const found = await findOnVolume(volume, place);
        if (found.kind === 'file') await addFile(found.file);
        else if (recursive) for await (const file of filesBelow(volume, found.key)) await addFile(file);
        // What matches a pattern is shown, not what is in it.
        else if (isPattern) await rows.add([folderRow(found.key)]);
        else
          for await (const entry of await volume.folder(found.key))
            await (entry.kind === 'file' ? addFile(entry.file) : rows.add([folderRow(entry.key)]));
      }
      return await printLongList(ctx, viewAt(now), rows.sorted(), [`${countOf(files, 'file')}, ${formatBytes(bytes)}`]);
    } finally {
      await rows.close();
    }
  },
});
