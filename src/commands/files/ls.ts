import { defineCommand } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { manyOf, oneOf, ownObject, TEXT, TIME, WHOLE } from '../../cli/model/output-schema.ts';
import { arg, option } from '../../cli/model/params.ts';
import { textColumn } from '../../cli/resource/fields.ts';
import { countOf } from '../../cli/words.ts';
import { expandPlace, filesBelow, findOnVolume, openVolumeWithSpace, parseVolumeAddress } from './file-address.ts';
import { createSorter } from '../../core/external-sort.ts';
import type { SortedItems, VolumeFile } from '../../core/file-ports.ts';
import { type Json, numberAt, stringAt } from '../../core/json.ts';
import type { Message } from '../../core/message.ts';
import type { EpochMs } from '../../core/unit-types.ts';
import { formatBytes, formatTimestamp } from '../../core/units.ts';
import { age, text } from '../../output/cells.ts';
import { isJsonFormat, isPrintedByPage } from '../../output/formats/format-table.ts';
import type { Result, View } from '../../output/view.ts';

const AT_ONCE = 1000;

/** For complete lists. Streams, unless the format is a terminal table or `--jq`. */
async function printLongList(
  ctx: CommandContext,
  view: View,
  rows: SortedItems<Json>,
  notes: readonly Message[],
): Promise<Result> {
  const { format, jq, fields } = ctx.output;
  const isHeld = jq !== undefined || fields !== undefined;
  if (isHeld || !(isJsonFormat(format) || isPrintedByPage(ctx.output, ctx.terminal.output))) {
    const values: Json[] = [];
    for await (const row of rows) values.push(row);
    return { kind: 'many', view, values, notes };
  }
  let group: Json[] = [];
  const writer = ctx.rows(view);
  const flush = async (): Promise<void> => {
    await writer.rows(group);
    group = [];
  };
  let isEmpty = true;
  for await (const row of rows) {
    isEmpty = false;
    group.push(row);
    if (group.length === AT_ONCE) await flush();
  }
  if (isEmpty) return { kind: 'many', view, values: [], notes };
  await flush();
  await writer.close();
  return { kind: 'nothing', notes };
}

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

/** For -1 to below 10^15. */
const largestFirst = (number: number): string => String(10 ** 15 - number).padStart(16, '0');

const ORDERS: Readonly<Record<'size' | 'time', (row: Json) => string>> = {
  size: (row) => `${largestFirst(numberAt(row, 'bytes') ?? -1)} ${pathOf(row)}`,
  time: (row) => `${largestFirst(Date.parse(stringAt(row, 'modifiedAt') ?? '') || 0)} ${pathOf(row)}`,
};

export const ls = defineCommand({
  summary: 'list the files of a network volume',
  details:
    'Without --recursive it shows one folder: the files in it, and the folders with a slash at their end. The list is whole, or it is an error. The times are when the volume got the files; in the local service by the clock of this machine.',
  args: { place: PLACE },
  options: {
    recursive: option.on('also what is in the folders below', { short: '-r' }),
    sort: option.choice('by size, the largest first, or by time, the latest first (default path)', ['size', 'time']),
  },
  output: manyOf(
    ownObject({ path: TEXT, kind: oneOf('file', 'folder') }, { bytes: WHOLE, modifiedAt: TIME, etag: TEXT }),
  ),
  examples: [
    ['berth files ls datasets:', 'what is at the top'],
    ['berth files ls -r datasets:inputs --sort size', 'the largest files below a folder first'],
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
