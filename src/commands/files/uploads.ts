import { rethrowUnlessFailure, type Failure } from '../../core/failure.ts';
import { numberAt, stringAt, type Json, type JsonObject } from '../../core/json.ts';
import type { UnfinishedUpload, VolumeFiles } from '../../core/ports/volume-files.ts';
import { formatTimestamp } from '../../core/text/timestamp.ts';
import { formatBytes } from '../../core/units.ts';
import { FAILURE } from '../../cli/model/common-schemas.ts';
import { defineCommand, defineGroup } from '../../cli/model/command.ts';
import { manyOf, ownObject, TEXT, TIME, WHOLE, YES_NO } from '../../cli/model/output-schema.ts';
import { option } from '../../cli/model/params.ts';
import { combinedFailure } from '../../cli/resource/several/combined-failure.ts';
import { errorOf } from '../../cli/resource/several/outcomes.ts';
import { textColumn } from '../../cli/resource/fields/detail-lines.ts';
import { countOf } from '../../cli/words/words.ts';
import { age, text } from '../../output/cells/cell-functions.ts';
import type { EpochMs } from '../../core/unit-types.ts';
import type { View } from '../../output/view.ts';
import { PLACE } from './ls.ts';
import { parseVolumeAddress } from './places/file-address.ts';
import { openVolumeWithSpace } from './places/open-volume.ts';

const MEMBERS = ['path', 'upload', 'parts', 'bytes', 'startedAt'] as const;

/** The view of uploads, whose ages are counted until `now`. */
const viewAt = (now: EpochMs): View => ({
  noun: ['unfinished upload', 'unfinished uploads'],
  id: text('upload'),
  members: [...MEMBERS, 'ok', 'error'],
  columns: [
    { header: 'SIZE', show: (row) => formatBytes(numberAt(row, 'bytes') ?? 0), right: true },
    textColumn('parts', { right: true }),
    { header: 'AGE', show: (row) => age('startedAt')(row, { now }), right: true },
    textColumn('path', { cutLast: true }),
    { header: 'UPLOAD', show: text('upload'), wide: true },
    { header: 'ERROR', show: text('error.message') },
  ],
});

const ROW = { path: TEXT, upload: TEXT, parts: WHOLE, bytes: WHOLE };

const rowOf = ({ key, id, parts, bytes, startedAt }: UnfinishedUpload): JsonObject => ({
  path: key,
  upload: id,
  parts,
  bytes,
  ...(startedAt === undefined ? {} : { startedAt: formatTimestamp(startedAt) }),
});

const sizeOf = (rows: readonly Json[]): string =>
  formatBytes(rows.reduce<number>((sum, row) => sum + (numberAt(row, 'bytes') ?? 0), 0));

/** The unfinished uploads of a file, or of all files below a folder. */
async function uploadsAt(volume: VolumeFiles, path: string): Promise<readonly UnfinishedUpload[]> {
  const found: UnfinishedUpload[] = [];
  for await (const upload of volume.uploads(path))
    if (path === '' || path.endsWith('/') || upload.key === path || upload.key.startsWith(`${path}/`))
      found.push(upload);
  return found;
}

const list = defineCommand({
  summary: 'list unfinished uploads and the space that they take',
  details:
    'A large file is sent in parts. Those of an upload that was interrupted stay on the volume and take space, until the same copy is run again or they are removed. Uploads that other programs are sending now are shown too.',
  args: { place: PLACE },
  output: manyOf(ownObject(ROW, { startedAt: TIME })),
  examples: [['berth files uploads list datasets', 'all of a volume']],
  run: async (ctx, { place }) => {
    const address = parseVolumeAddress(place);
    const { files, now } = await openVolumeWithSpace(ctx, address.volume);
    const values = (await uploadsAt(files, address.path)).map(rowOf);
    return {
      kind: 'many',
      view: viewAt(now),
      values,
      notes: [`${countOf(values.length, 'unfinished upload')}, ${sizeOf(values)}`],
    };
  },
});

const abort = defineCommand({
  summary: 'remove unfinished uploads with their parts',
  details:
    'The files that are on the volume stay as they are. A program that is sending one of these uploads now fails; --older-than leaves out those that began a short time ago.',
  args: { place: PLACE },
  options: { olderThan: option.duration('only those that began at least so long ago', 'h') },
  writes: true,
  needs: 'full',
  output: manyOf(
    ownObject(ROW, { startedAt: TIME, ok: { ...YES_NO, description: 'absent in a dry run' }, error: FAILURE }),
  ),
  examples: [
    ['berth files uploads abort datasets --dry-run', 'see what would be removed'],
    ['berth files uploads abort datasets --older-than 24h --yes', 'those of yesterday, without a question'],
  ],
  prepare: async (ctx, { place, olderThan }) => {
    const address = parseVolumeAddress(place);
    const { files: volume, now } = await openVolumeWithSpace(ctx, address.volume);
    const isOld = ({ startedAt }: UnfinishedUpload): boolean =>
      olderThan === undefined || (startedAt !== undefined && now - startedAt >= olderThan);
    return { volume, now, uploads: (await uploadsAt(volume, address.path)).filter(isOld) };
  },
  confirm: async (_, { place }, { uploads }) =>
    uploads.length === 0
      ? undefined
      : `This removes ${countOf(uploads.length, 'unfinished upload')}, ${sizeOf(uploads.map(rowOf))}: ${place}.`,
  run: async (ctx, _, { volume, now, uploads }) => {
    const values: Json[] = [];
    const outcomes: { readonly id: string; readonly failure: Failure | undefined }[] = [];
    for (const upload of uploads) {
      const row = rowOf(upload);
      try {
        if (!ctx.dryRun) await volume.abort(upload);
        values.push({ ...row, ...(ctx.dryRun ? {} : { ok: true }) });
        outcomes.push({ id: upload.key, failure: undefined });
      } catch (error) {
        rethrowUnlessFailure(error, ctx);
        values.push({ ...row, ok: false, error: errorOf(error, ctx.settings) });
        outcomes.push({ id: upload.key, failure: error });
      }
    }
    const removed = values.filter((row) => stringAt(row, 'error.code') === undefined);
    return {
      kind: 'many',
      view: viewAt(now),
      values,
      notes: [
        `${countOf(outcomes.filter(({ failure }) => failure === undefined).length, 'unfinished upload')} ${ctx.dryRun ? 'would be ' : ''}removed, ${sizeOf(removed)}`,
      ],
      failure: combinedFailure(outcomes),
    };
  },
});

/** `berth files uploads`: what interrupted uploads have left on a volume. */
export const uploads = defineGroup('what interrupted uploads have left on a volume', { list, abort });
