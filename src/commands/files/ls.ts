import { findAll, parseVolumeAddress, volumeOpener } from './address.ts';
import { defineCommand } from '../../cli/model/command.ts';
import { manyOf, oneOf, ownObject, TEXT, TIME, WHOLE } from '../../cli/model/output-schema.ts';
import { arg, option } from '../../cli/model/params.ts';
import { textColumn } from '../../cli/resource/fields.ts';
import { countOf } from '../../cli/words.ts';
import type { VolumeEntry } from '../../core/file-ports.ts';
import { type Json, numberAt, stringAt } from '../../core/json.ts';
import type { EpochMs } from '../../core/unit-types.ts';
import { formatBytes, formatTimestamp } from '../../core/units.ts';
import { age, text } from '../../output/cells.ts';
import { isJsonFormat, isPrintedByPage } from '../../output/formats/format-table.ts';
import type { View } from '../../output/view.ts';

export const PLACE = arg.text('VOLUME:PATH, or VOLUME for all of it', { metavar: 'PLACE', complete: 'volume-path' });

const rowOf = (entry: VolumeEntry): Json => {
  if (entry.kind === 'folder') return { path: entry.key, kind: 'folder' };
  const { key, bytes, version, modifiedAt } = entry.file;
  const time = modifiedAt === undefined ? {} : { modifiedAt: formatTimestamp(modifiedAt) };
  return { path: key, kind: 'file', bytes, ...time, etag: version.replaceAll('"', '') };
};

const viewAt = (now: () => EpochMs, isLong: boolean): View => ({
  noun: ['file or folder', 'files and folders'],
  id: (row) => text(row, 'path'),
  members: ['path', 'kind', 'bytes', 'modifiedAt', 'etag'],
  columns: [
    {
      header: 'SIZE',
      show: (row) => (stringAt(row, 'kind') === 'folder' ? '' : formatBytes(numberAt(row, 'bytes') ?? 0)),
      right: true,
    },
    isLong
      ? textColumn('modifiedAt')
      : { header: 'AGE', show: (row) => age(row, 'modifiedAt', { now: now() }), right: true },
    textColumn('path', { cutLast: true }),
    { header: 'ETAG', show: (row) => text(row, 'etag'), wide: !isLong },
  ],
});

/** Of a million files not all rows are in memory. */
const AT_ONCE = 1000;

export const ls = defineCommand({
  summary: 'list the files of a network volume',
  details:
    'Without --recursive it lists one folder; folders end with a slash. The list is complete, or it is an error. Times are when the volume got the files.',
  args: { place: PLACE },
  options: {
    recursive: option.on('list the folders below too', { short: '-r' }),
    long: option.on('show time and ETag', { short: '-l' }),
  },
  output: () =>
    manyOf(ownObject({ path: TEXT, kind: oneOf('file', 'folder') }, { bytes: WHOLE, modifiedAt: TIME, etag: TEXT })),
  examples: [
    ['berth files ls datasets:', 'what is at the top'],
    ['berth files ls -r datasets:inputs', 'all files below a folder'],
  ],
  run: async (ctx, { place, recursive, long }) => {
    const address = parseVolumeAddress(place);
    const volume = await volumeOpener(ctx)(address.volume);
    // oxlint-disable-next-line berth/no-wall-clock -- a date, to compare with those of files
    const view = viewAt(() => ctx.clock.now() + volume.aheadMs(), long);
    const { format, jq, fields } = ctx.output;
    const isStreamed = isJsonFormat(format) || isPrintedByPage(ctx.output, ctx.terminal.output);
    const atOnce = jq === undefined && fields === undefined && isStreamed ? AT_ONCE : Infinity;
    const writer = ctx.rows(view);
    const values: Json[] = [];
    let [count, bytes, isOpen] = [0, 0, false];
    for (const found of await findAll(volume, address))
      for await (const entry of found.kind === 'file'
        ? [{ ...found, key: found.file.key }]
        : volume.list(found.key, !recursive)) {
        if (recursive && entry.kind === 'folder') continue;
        if (entry.kind === 'file') [count, bytes] = [count + 1, bytes + entry.file.bytes];
        values.push(rowOf(entry));
        if (values.length < atOnce) continue;
        isOpen = true;
        await writer.rows(values.splice(0));
      }
    const notes = count === 0 ? [] : [`${countOf(count, 'file')}, ${formatBytes(bytes)}`];
    if (!isOpen) return { kind: 'many', view, values, notes };
    await writer.rows(values);
    await writer.close();
    return { kind: 'nothing', notes };
  },
});
