import type { Json } from '../../core/json.ts';
import { numberAt, stringAt } from '../../core/json.ts';
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
import { parseVolumeAddress } from './places/address.ts';
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

const SORTS: Readonly<Record<string, (one: Json, other: Json) => number>> = {
  size: (one, other) => (numberAt(other, 'bytes') ?? -1) - (numberAt(one, 'bytes') ?? -1),
  time: (one, other) => ((stringAt(one, 'modifiedAt') ?? '') < (stringAt(other, 'modifiedAt') ?? '') ? 1 : -1),
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
    const rows: Json[] = [];
    const places = await expandPlace(volume, address);
    const isPattern = places.some(({ path }) => path !== address.path);
    for (const place of places) {
      const found = await findOnVolume(volume, place);
      if (found.kind === 'file') rows.push(fileRow(found.file));
      else if (recursive) for await (const file of filesBelow(volume, found.key)) rows.push(fileRow(file));
      // What matches a pattern is shown, not what is in it.
      else if (isPattern) rows.push(folderRow(found.key));
      else {
        const { files, folders } = await volume.folder(found.key);
        rows.push(...folders.map(folderRow), ...files.map(fileRow));
        rows.sort((one, other) => ((stringAt(one, 'path') ?? '') < (stringAt(other, 'path') ?? '') ? -1 : 1));
      }
    }
    const order = sort === undefined ? undefined : SORTS[sort];
    const sizes = rows.flatMap((row) => numberAt(row, 'bytes') ?? []);
    return {
      kind: 'many',
      view: viewAt(now),
      values: order === undefined ? rows : rows.toSorted(order),
      notes: [`${countOf(sizes.length, 'file')}, ${formatBytes(sizes.reduce((sum, bytes) => sum + bytes, 0))}`],
    };
  },
});
