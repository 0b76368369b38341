import { expandPlace, findOnVolume, openVolume, parseVolumeAddress } from './address.ts';
import { defineCommand } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { manyOf, oneOf, ownObject, TEXT, TIME, WHOLE } from '../../cli/model/output-schema.ts';
import { arg, option } from '../../cli/model/params.ts';
import { textColumn } from '../../cli/resource/fields.ts';
import { countOf } from '../../cli/words.ts';
import type { VolumeEntry, VolumeFiles } from '../../core/file-ports.ts';
import { type Json, numberAt, stringAt } from '../../core/json.ts';
import type { EpochMs } from '../../core/unit-types.ts';
import { formatBytes, formatTimestamp } from '../../core/units.ts';
import { age, text } from '../../output/cells.ts';
import { isJsonFormat, isPrintedByPage } from '../../output/formats/format-table.ts';
import type { Result, View } from '../../output/view.ts';

export const PLACE = arg.text('VOLUME:PATH, or VOLUME for all of it', { metavar: 'PLACE', complete: 'volume-path' });

const rowOf = (entry: VolumeEntry): Json => {
  if (entry.kind === 'folder') return { path: entry.key, kind: 'folder' };
  const { key, bytes, version, modifiedAt } = entry.file;
  return {
    path: key,
    kind: 'file',
    bytes,
    ...(modifiedAt === undefined ? {} : { modifiedAt: formatTimestamp(modifiedAt) }),
    etag: version.replaceAll('"', ''),
  };
};

const viewAt = (now: () => EpochMs, isLong: boolean): View => ({
  noun: ['file or folder', 'files and folders'],
  id: text('path'),
  members: ['path', 'kind', 'bytes', 'modifiedAt', 'etag'],
  columns: [
    {
      header: 'SIZE',
      show: (row) => (stringAt(row, 'kind') === 'folder' ? '' : formatBytes(numberAt(row, 'bytes') ?? 0)),
      right: true,
    },
    isLong
      ? textColumn('modifiedAt')
      : { header: 'AGE', show: (row) => age('modifiedAt')(row, { now: now() }), right: true },
    textColumn('path', { cutLast: true }),
    { header: 'ETAG', show: text('etag'), wide: !isLong },
  ],
});

const ORDERS: Readonly<Record<'size' | 'time', (row: Json) => number>> = {
  size: (row) => numberAt(row, 'bytes') ?? -1,
  time: (row) => Date.parse(stringAt(row, 'modifiedAt') ?? '') || 0,
};

export const ls = defineCommand({
  summary: 'list the files of a network volume',
  details:
    'Without --recursive it lists one folder; folders end with a slash. The list is complete, or it is an error. Times are when the volume got the files.',
  args: { place: PLACE },
  options: {
    recursive: option.on('list the folders below too', { short: '-r' }),
    long: option.on('show time and ETag', { short: '-l' }),
    sort: option.choice('largest or latest first (default: by path)', ['size', 'time']),
  },
  output: manyOf(
    ownObject({ path: TEXT, kind: oneOf('file', 'folder') }, { bytes: WHOLE, modifiedAt: TIME, etag: TEXT }),
  ),
  examples: [
    ['berth files ls datasets:', 'what is at the top'],
    ['berth files ls -r datasets:inputs --sort size', 'the largest files below a folder first'],
  ],
  run: async (ctx, { place: given, recursive, long, sort }) => {
    const address = parseVolumeAddress(given);
    const volume = await openVolume(ctx, address.volume);
    // oxlint-disable-next-line berth/no-wall-clock -- a date, to compare with those of files
    const now = (): EpochMs => ctx.clock.now() + volume.aheadMs();
    let [count, bytes] = [0, 0];
    const rows = async function* (): AsyncGenerator<Json> {
      for await (const entry of entriesAt(volume, address, recursive)) {
        if (recursive && entry.kind === 'folder') continue;
        if (entry.kind === 'file') [count, bytes] = [count + 1, bytes + entry.file.bytes];
        yield rowOf(entry);
      }
    };
    const ordered = sort === undefined ? rows() : inOrder(rows(), ORDERS[sort]);
    return await printRows(ctx, viewAt(now, long), ordered, () => `${countOf(count, 'file')}, ${formatBytes(bytes)}`);
  },
});

async function* entriesAt(
  volume: VolumeFiles,
  address: ReturnType<typeof parseVolumeAddress>,
  isRecursive: boolean,
): AsyncGenerator<VolumeEntry> {
  const places = await expandPlace(volume, address);
  const isPattern = places.some(({ path }) => path !== address.path);
  for (const place of places) {
    const found = await findOnVolume(volume, place);
    if (found.kind === 'file') yield { kind: 'file', key: found.file.key, file: found.file };
    // What matches a pattern is shown, not what is in it.
    else if (isPattern && !isRecursive) yield { kind: 'folder', key: found.key };
    else yield* volume.list(found.key, !isRecursive);
  }
}

async function* inOrder(rows: AsyncIterable<Json>, sizeOf: (row: Json) => number): AsyncGenerator<Json> {
  const all: Json[] = [];
  for await (const row of rows) all.push(row);
  yield* all.sort((one, other) => sizeOf(other) - sizeOf(one));
}

const AT_ONCE = 1000;

/** Prints rows as they come, unless all are needed: for a table at a terminal, `--jq` and `--fields`. */
async function printRows(
  ctx: CommandContext,
  view: View,
  rows: AsyncIterable<Json>,
  note: () => string,
): Promise<Result> {
  const { format, jq, fields } = ctx.output;
  const isStreamed = isJsonFormat(format) || isPrintedByPage(ctx.output, ctx.terminal.output);
  const atOnce = jq === undefined && fields === undefined && isStreamed ? AT_ONCE : Infinity;
  const writer = ctx.rows(view);
  const values: Json[] = [];
  let isOpen = false;
  for await (const row of rows) {
    values.push(row);
    if (values.length < atOnce) continue;
    isOpen = true;
    await writer.rows(values.splice(0));
  }
  if (!isOpen) return { kind: 'many', view, values, notes: values.length === 0 ? [] : [note()] };
  await writer.rows(values);
  await writer.close();
  return { kind: 'nothing', notes: [note()] };
}
