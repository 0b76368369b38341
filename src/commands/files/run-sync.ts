import type { CommandContext } from '../../cli/model/context.ts';
import { compareFolders } from './compare-folders.ts';
import { wouldCopy } from './copy-places.ts';
import type { Copy } from './copy.ts';
import type { FileOutcome } from './file-outcomes.ts';
import type { Sync, SyncValues } from './open-sync.ts';
import type { FileInFlight } from './progress.ts';
import type { Difference, SideFile } from './sides.ts';
import { transferFiles } from './transfer.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, rethrowUnlessFailure } from '../../core/failure.ts';
import { severalAtOnce } from '../../core/several-at-once.ts';
import type { Bytes, EpochMs } from '../../core/unit-types.ts';

export interface Extra {
  readonly path: string;
  readonly file: SideFile;
}

interface Seen {
  files: number;
  /** By size and time; not looked at further. */
  same: number;
  executable: number;
  readonly extras: Extra[];
  /** Of folders that could not be read. */
  readonly failures: FileOutcome[];
}

export const nothingSeen = (): Seen => ({
  files: 0,
  same: 0,
  executable: 0,
  extras: [],
  failures: [],
});

const bytesOf = ({ from }: SideFile): Bytes => from.file.bytes;

/** Adds its other findings to `seen`, or prints them. */
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
    else if (each.kind === 'unreadable')
      seen.failures.push({ from: source.shown(each.path), to: undefined, bytes: 0, failure: each.failure });
    else {
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

/** A volume's time is its upload time: send local files changed after it. Between volumes: the ETag. */
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
  /** Before the first copy, if there is one. */
  readonly checkSpace: () => Promise<void>;
  readonly onBytes: (bytes: Bytes, of: FileInFlight) => void;
}

/** A dry run sends nothing. Fails as `checkSpace` does, before anything is sent. */
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

async function* beforeFirst<T>(items: AsyncIterable<T>, check: () => Promise<void>): AsyncGenerator<T> {
  let isChecked = false;
  for await (const item of items) {
    if (!isChecked) await check();
    isChecked = true;
    yield item;
  }
}

const LIMITS = { atOnce: 16, ahead: 1000 };

/** Keeps a file that the source has by now, or that changed: another sync may have written it. */
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

/** The inner ones first. */
function foldersOf(extras: readonly Extra[]): readonly string[] {
  const folders = new Set<string>();
  for (const { path } of extras)
    for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1))
      folders.add(path.slice(0, slash));
  return [...folders].sort((one, other) => other.length - one.length);
}
