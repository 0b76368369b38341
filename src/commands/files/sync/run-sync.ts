import type { Bytes, EpochMs } from '../../../core/unit-types.ts';
import { EXIT } from '../../../core/exit-codes.ts';
import { Failure, rethrowUnlessFailure } from '../../../core/failure.ts';
import { severalAtOnce } from '../../../core/control/several-at-once.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import type { Copy } from '../copy/copy.ts';
import { transferFiles } from '../copy/transfer/transfer.ts';
import { wouldCopy } from '../copy/would-copy.ts';
import type { FileInFlight } from '../copy/tally.ts';
import type { FileOutcome } from '../../shared/paths/file-outcomes.ts';
import { compareFolders } from './compare-folders.ts';
import type { Sync, SyncValues } from './open-sync.ts';
import type { Difference, SideFile } from '../copy/sides.ts';

/** A file that only the target has. */
export interface Extra {
  readonly path: string;
  readonly file: SideFile;
}

/** What a walk over both sides has seen so far. */
export interface Seen {
  /** Files of the source that belong to the sync. */
  files: number;
  /** Of those, what is not looked at further, because size and time say that it is the same. */
  same: number;
  /** Local files of the source that are executable. */
  executable: number;
  readonly extras: Extra[];
  /** False where a part of a side could not be read: then nothing may be removed. */
  isWhole: boolean;
  /** What failed without a file of its own. */
  readonly failures: FileOutcome[];
}

export const nothingSeen = (): Seen => ({
  files: 0,
  same: 0,
  executable: 0,
  extras: [],
  isWhole: true,
  failures: [],
});

const bytesOf = ({ from }: SideFile): Bytes => from.file.bytes;

/** Walks both sides, and yields the copies that may be needed. What else it finds is added to `seen`, or said. */
export async function* neededCopies(
  sync: Sync,
  values: SyncValues,
  seen: Seen,
  onLeftOut?: (line: string) => Promise<void>,
): AsyncGenerator<Copy> {
  const { source, target, filter, platform } = sync;
  for await (const each of compareFolders(source, target, { filter, ignoreFiles: values.ignoreFile, platform })) {
    if (each.kind === 'extra') {
      if (values.delete) seen.extras.push({ path: each.path, file: each.target });
    } else if (each.kind === 'left-out') await onLeftOut?.(`${source.shown(each.path)} is left out: ${each.why}.`);
    else if (each.kind === 'unreadable') {
      seen.isWhole = false;
      seen.failures.push({ from: source.shown(each.path), to: undefined, bytes: 0, failure: each.failure });
    } else {
      seen.files += 1;
      if (each.source.executable === true && target.kind === 'volume') seen.executable += 1;
      if (each.refused === undefined && !values.checksum && isUnchanged(each)) seen.same += 1;
      else yield copyOf(sync, each);
    }
  }
}

function copyOf(
  { source, target }: Sync,
  { path, source: file, target: there, refused }: Difference & { kind: 'file' },
): Copy {
  return {
    from: file.from,
    to: target.end(path),
    isNew: there === undefined,
    path,
    refused:
      refused === undefined
        ? undefined
        : new Failure({
            code: 'bad-name',
            exit: EXIT.localFile,
            message: `${source.shown(path)} was not copied: ${refused}`,
          }),
  };
}

/**
 * Whether size and time say that two files are the same. A volume keeps no time of its own: it says when it got a file. So a local
 * file is sent where it was changed after that; a file that was read from a volume has that time, to the millisecond or to
 * the second. Between volumes the ETag decides, where both are of one kind.
 */
function isUnchanged({ source, target }: Difference & { kind: 'file' }): boolean {
  if (target === undefined || bytesOf(source) !== bytesOf(target)) return false;
  const [from, to] = [source.modifiedAt, target.modifiedAt];
  if (source.from.kind === 'volume' && target.from.kind === 'volume') {
    if (source.from.file.version === target.from.file.version) return true;
    const kinds = [source.from, target.from].map(({ volume, file }) => volume.proofOf(file).kind);
    return kinds[0] !== kinds[1] && isNotAfter(from, to);
  }
  if (source.from.kind === 'local') return isNotAfter(from, to);
  return from !== undefined && (to === from || to === Math.floor(from / 1000) * 1000);
}

const isNotAfter = (one: EpochMs | undefined, other: EpochMs | undefined): boolean =>
  one !== undefined && other !== undefined && one <= other;

interface CopyNeeded {
  readonly seen: Seen;
  /** Called before the first copy, if there is one. */
  readonly checkSpace: () => Promise<void>;
  readonly onBytes: (bytes: Bytes, of: FileInFlight) => void;
}

/**
 * Copies what is needed, and yields what became of each file. In a dry run nothing is sent. Fails as `checkSpace` does, before
 * anything is sent.
 */
export async function* copyNeeded(
  ctx: CommandContext,
  sync: Sync,
  values: SyncValues,
  { seen, checkSpace, onBytes }: CopyNeeded,
): AsyncGenerator<FileOutcome> {
  const copies = beforeFirst(
    neededCopies(sync, values, seen, (line) => ctx.tell(line)),
    checkSpace,
  );
  const shown = (path: Copy['from'] | Copy['to']): string =>
    path.kind === 'local' ? path.path : `${path.name}:${path.key}`;
  const done = ctx.dryRun
    ? wouldCopy(ctx, copies, () => true)
    : transferFiles(
        ctx,
        copies,
        ({ from }, bytes) => {
          onBytes(bytes, { from: shown(from), bytes: from.file.bytes });
        },
        values.verify,
      );
  for await (const { copy, wasThere, failure } of done)
    yield {
      from: shown(copy.from),
      to: shown(copy.to),
      path: copy.path ?? '',
      bytes: copy.from.file.bytes,
      isSame: wasThere === 'same',
      isReplaced: wasThere === 'other',
      failure,
    };
}

/** The same, after a check where there is any. */
async function* beforeFirst<T>(items: AsyncIterable<T>, check: () => Promise<void>): AsyncGenerator<T> {
  let isChecked = false;
  for await (const item of items) {
    if (!isChecked) await check();
    isChecked = true;
    yield item;
  }
}

/** How many files are removed at once, and how many outcomes may wait for an earlier one. */
const LIMITS = { atOnce: 16, ahead: 1000 };

/**
 * Removes files that only the target has, and yields what became of each. One that the source has by now stays, and one that
 * was changed since it was seen: another sync may have written it.
 */
export async function* removeExtras(
  ctx: CommandContext,
  { source, target }: Sync,
  extras: readonly Extra[],
): AsyncGenerator<FileOutcome> {
  const remove = async ({ path, file }: Extra): Promise<FileOutcome> => {
    const outcome = { from: target.shown(path), to: undefined, path, bytes: bytesOf(file), isRemoved: true };
    if (ctx.dryRun) return { ...outcome, failure: undefined };
    try {
      if ((await source.look(path)) !== undefined)
        throw new Failure({
          code: 'changed',
          exit: EXIT.localFile,
          message: `${target.shown(path)} was not removed: the source has this file by now`,
          hint: 'Run it again.',
        });
      await target.remove(path, file);
      return { ...outcome, failure: undefined };
    } catch (error) {
      rethrowUnlessFailure(error, ctx);
      return { ...outcome, failure: error };
    }
  };
  yield* severalAtOnce(iterate(extras), remove, LIMITS);
  if (ctx.dryRun) return;
  for (const folder of foldersOf(extras)) await target.removeEmptyFolder(folder).catch(() => undefined);
}

async function* iterate<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

/** The folders that files are in, the inner ones first. */
function foldersOf(extras: readonly Extra[]): readonly string[] {
  const folders = new Set<string>();
  for (const { path } of extras)
    for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1))
      folders.add(path.slice(0, slash));
  return [...folders].sort((one, other) => other.length - one.length);
}
