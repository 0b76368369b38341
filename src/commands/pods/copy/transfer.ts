import type { RangeFiles } from '../../../core/context.ts';
import { localFile, rethrowUnlessFailure, usage, type Failure } from '../../../core/failure.ts';
import { severalAtOnce } from '../../../core/control/several-at-once.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { rangeOf } from '../../shared/paths/range-of.ts';
import type { PodFiles } from '../reach/files/pod-files.ts';
import type { PutSource, WasPut } from '../reach/files/put-whole.ts';
import { digestOf, fetchWhole } from './fetch.ts';
import type { At, Copy } from './plan.ts';

/** What became of a copy. */
export interface Transferred extends WasPut {
  readonly copy: Copy;
  /** Why it did not go through. */
  readonly failure: Failure | undefined;
}

/** How many files are copied at once, and how many that ended may wait for an earlier one. */
const LIMITS = { atOnce: 8, ahead: 10_000 };

/** Copies files, several at once, and yields what became of each in the order given. A copy that is refused is not begun. */
export async function* transferFiles(
  ctx: CommandContext,
  copies: AsyncIterable<Copy>,
  onBytes: (copy: Copy, bytes: number) => void,
): AsyncGenerator<Transferred> {
  const transfer = async (copy: Copy): Promise<Transferred> => {
    const nothing = { copy, isSame: false, isVerified: true };
    if (copy.refused !== undefined || ctx.dryRun) return { ...nothing, failure: copy.refused };
    try {
      const done = await copyFile(ctx, copy, (bytes) => {
        onBytes(copy, bytes);
      });
      return { ...done, copy, failure: undefined };
    } catch (error) {
      rethrowUnlessFailure(error, ctx);
      return { ...nothing, failure: error };
    }
  };
  yield* severalAtOnce(copies, transfer, LIMITS);
}

async function copyFile(ctx: CommandContext, { from, to }: Copy, onBytes: (bytes: number) => void): Promise<WasPut> {
  if (to.end.kind === 'local') {
    if (from.end.kind === 'local') throw usage('a local file is copied to a local file by other programs');
    const slash = Math.max(to.path.lastIndexOf('/'), to.path.lastIndexOf('\\'));
    if (slash > 0) await to.end.files.makeFolder(to.path.slice(0, slash));
    return await fetchWhole(from.end.files, from.path, to.end.files, to.path, onBytes);
  }
  const slash = to.path.lastIndexOf('/');
  if (slash > 0) await to.end.files.makeFolder(to.path.slice(0, slash));
  const source = await sourceOf(ctx, from);
  return await to.end.files.put(to.path, source, onBytes);
}

const sourceOf = ({ files }: CommandContext, { end, path }: At): Promise<PutSource> =>
  end.kind === 'pod' ? podSource(end.files, path) : localSource(end.files, path, files.mode(path));

async function localSource(files: RangeFiles, path: string, mode: Promise<number | undefined>): Promise<PutSource> {
  const entry = await files.lookAt(path, true);
  if (entry?.kind !== 'file') throw changed(path);
  const { bytes, version, modifiedAt } = entry;
  return {
    bytes,
    version,
    modifiedAt,
    mode: await mode,
    read: (start, end) => rangeOf(files, path, start, end),
    digest: () => digestOf(files, path, bytes),
    check: async () => {
      if ((await files.describe(path))?.version !== version) throw changed(path);
    },
  };
}

async function podSource(files: PodFiles, path: string): Promise<PutSource> {
  const entry = await files.look(path, true);
  if (entry?.kind !== 'file') throw changed(path);
  const { bytes, modifiedAt, mode } = entry;
  return {
    bytes,
    version: [files.pod.id, path, String(modifiedAt)].join('\n'),
    modifiedAt,
    mode,
    read: (start, end) => files.read(path, start, end),
    digest: () => files.digest(path),
    check: async () => {
      const now = await files.look(path, true);
      if (now?.bytes !== bytes || now.modifiedAt !== modifiedAt) throw changed(path);
    },
  };
}

const changed = (path: string): Failure =>
  localFile(`${path} changed while it was read`, 'Copy it when nothing writes to it.');
