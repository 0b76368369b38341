import { basename } from 'node:path';
import type { CommandContext } from '../../cli/model/context.ts';
import { findAll, folderKey, isFolderFailure, notThere, parsePlace, type Place, volumeOpener } from './address.ts';
import type { Filter } from './filter.ts';
import { endsWithSlash, foldedName, foldsNames, joined, refusedName } from './names.ts';
import {
  badName,
  type End,
  type FileEnd,
  localTree,
  shown,
  type Tree,
  type TreeFile,
  type TreeItem,
  volumeTree,
} from './tree.ts';
import { type Failure, usage } from '../../core/failure.ts';
import { severalAtOnce } from '../../core/several-at-once.ts';
import { compareBytes } from '../../core/text.ts';

export interface Copy {
  readonly kind: 'copy';
  readonly from: FileEnd;
  readonly to: End;
  /** What the target has in its place. */
  readonly there: FileEnd | undefined;
  readonly refused: Failure | undefined;
}

export type Step =
  | Copy
  /** Only the target has it. */
  | { readonly kind: 'extra'; readonly file: TreeFile }
  | Exclude<TreeItem, TreeFile>;

/** Up to so many files the target is asked about each; of more, a listing of it is read. */
const FEW = 20;

const notCopied = (from: FileEnd, why: string): Failure => badName(`${shown(from)} was not copied: ${why}`);

/** What makes one folder the copy of another. Fails on a listing that is not complete: what came before holds. */
export const planTree = (ctx: CommandContext, source: Tree, target: Tree, filter: Filter, hasExtras = false) =>
  planPairs(ctx, paired(source, target, filter, hasExtras), target);

async function* planPairs(ctx: CommandContext, pairs: AsyncIterable<Pair>, target: Tree): AsyncGenerator<Step> {
  const root = target.end('');
  const platform = root.kind === 'local' ? ctx.platform : 'linux';
  const isFolding = root.kind === 'local' && (await foldsNames(await ctx.durable(), root.path));
  const folded = new Set<string>();
  const extras: TreeFile[] = [];
  for await (const [one, other] of pairs) {
    if (one === undefined) {
      if (other?.kind === 'file') extras.push(other);
      else if (other?.kind === 'failed') yield other;
      continue;
    }
    if (one.kind !== 'file') {
      yield one;
      continue;
    }
    const { path, at: from } = one;
    const isTaken = folded.has(foldedName(path));
    if (isFolding) folded.add(foldedName(path));
    const to = target.end(path);
    const why =
      refusedName(to.kind === 'volume' ? to.key : path || basename(to.path), platform) ??
      (isTaken ? 'the target takes its name for that of another file' : undefined) ??
      (other?.kind === 'left-out' ? `in its place, ${other.why.replace(/^it/, 'there')}` : undefined);
    const there = other?.kind === 'file' ? other.at : undefined;
    const refused = why === undefined ? undefined : notCopied(from, why);
    yield { kind: 'copy', from, to, there, refused };
  }
  for (const file of extras) if (!folded.has(foldedName(file.path))) yield { kind: 'extra', file };
}

/** Items of the source and of the target at one path. */
type Pair = readonly [one: TreeItem | undefined, other: TreeItem | undefined];

/** Each item of the source with what the target has; where `hasExtras`, also what only the target has. */
async function* paired(source: Tree, target: Tree, filter: Filter, hasExtras: boolean): AsyncGenerator<Pair> {
  const items = source.items(filter);
  if (!hasExtras && target.end('').kind === 'local') return yield* lookedAt(items, target);
  const ones = items[Symbol.asyncIterator]();
  const read = async () => (await ones.next()).value as TreeItem | undefined;
  const first: TreeItem[] = [];
  while (!hasExtras && first.length <= FEW) {
    const item = await read();
    if (item === undefined) return yield* lookedAt(first, target);
    first.push(item);
  }
  yield* merged(async () => first.shift() ?? (await read()), target.items(filter), hasExtras);
}

/** The target is asked about each. */
const lookedAt = (items: AsyncIterable<TreeItem> | Iterable<TreeItem>, target: Tree): AsyncGenerator<Pair, void> =>
  severalAtOnce(items, async (one) => [one, one.kind === 'file' ? await target.look(one.path) : undefined]);

/** Both come in the order of the bytes of their paths. */
async function* merged(
  next: () => Promise<TreeItem | undefined>,
  others: AsyncIterable<TreeItem>,
  hasExtras: boolean,
): AsyncGenerator<Pair> {
  let one = await next();
  for await (const other of others) {
    for (; one !== undefined && compareBytes(one.path, other.path) < 0; one = await next()) yield [one, undefined];
    if (one?.path === other.path) {
      yield [one, other];
      one = await next();
    } else if (hasExtras) yield [undefined, other];
    else if (one === undefined) return;
  }
  for (; one !== undefined; one = await next()) yield [one, undefined];
}

/** The target is the last word. Usage (2) for a copy on this machine. */
export function sourcesAndTarget(words: readonly string[]): readonly [readonly Place[], Place] {
  const sources = words.map(parsePlace);
  const target = sources.pop();
  if (target === undefined || sources.length === 0)
    throw usage('this needs a source and a target', 'The last place is the target.');
  if (target.kind === 'local' && sources.some(({ kind }) => kind === 'local'))
    throw usage('a source and the target are both on this machine', 'Write VOLUME:PATH for a place on a volume.');
  return [sources, target];
}

interface PlanOptions {
  readonly recursive: boolean;
  readonly followLinks: boolean;
  readonly filter: Filter;
}

/** A folder becomes the target; a file, and each of several sources, goes into a target that is a folder. */
export async function* planCopies(
  ctx: CommandContext,
  given: readonly Place[],
  target: Place,
  { recursive, followLinks, filter }: PlanOptions,
): AsyncGenerator<Step> {
  const open = volumeOpener(ctx);
  const sources: Source[] = [];
  for (const place of given) sources.push(...(await openSources(ctx, place, open, followLinks)));
  const isSeveral = sources.length > 1;
  const folders = sources.flatMap((source) => (source.kind === 'folder' ? [source] : []));
  const files = sources.flatMap((source) => (source.kind === 'file' && filter.takes(source.path) ? [source] : []));
  if (folders[0] !== undefined && !recursive) throw isFolderFailure(shown(folders[0].tree.end('')));
  const taken = new Set<string>();
  for await (const step of planned()) {
    const end = isSeveral && step.kind === 'copy' ? shown(step.to) : '';
    yield step.kind === 'copy' && taken.has(end)
      ? { ...step, refused: notCopied(step.from, 'another file of the copy has the same name') }
      : step;
    if (end !== '') taken.add(end);
  }

  async function* planned(): AsyncGenerator<Step> {
    if (files.length > 0) {
      const { isInto, to } = await targetOfFiles(ctx, open, target, isSeveral);
      const named = files.map((file) => (isInto ? file : { ...file, path: '' }));
      yield* planPairs(ctx, lookedAt(named, to), to);
    }
    for (const { path, tree } of folders) {
      const to = await openTarget(ctx, open, target, isSeveral ? path : '');
      refuseNested(tree, to, false);
      yield* planTree(ctx, tree, to, filter);
    }
  }
}

type Opener = ReturnType<typeof volumeOpener>;

/** Where files go: into a folder, or, with an empty path, in the place of the target. */
async function targetOfFiles(ctx: CommandContext, open: Opener, target: Place, isSeveral: boolean) {
  const { path } = target;
  let isInto = isSeveral || path === '' || endsWithSlash(path);
  if (target.kind === 'local') {
    const files = await ctx.durable();
    isInto ||= (await files.lookAt(path, true))?.kind === 'folder';
    return { isInto, to: localTree(files, path, { followLinks: true, mayMiss: true }) };
  }
  const volume = await open(target.volume);
  isInto ||= await volume.isFolder(folderKey(path));
  return { isInto, to: volumeTree(volume, target.volume, isInto ? folderKey(path) : path) };
}

/** A folder that may be missing, or one in it. */
export async function openTarget(ctx: CommandContext, open: Opener, target: Place, name = ''): Promise<Tree> {
  if (target.kind === 'local')
    return localTree(await ctx.durable(), joined(target.path, name), { followLinks: false, mayMiss: true });
  const key = folderKey(`${folderKey(target.path)}${name}`);
  return volumeTree(await open(target.volume), target.volume, key);
}

/** A file, or a folder with all that is in it. `path`: its name in a folder that it goes into. */
type Source = TreeFile | { readonly kind: 'folder'; readonly path: string; readonly tree: Tree };

/** Several for a pattern. Not-found (4) for a missing one; usage (2) for a pipe or a device. */
export async function openSources(
  ctx: CommandContext,
  place: Place,
  open: Opener,
  followLinks: boolean,
): Promise<readonly Source[]> {
  const { path } = place;
  if (place.kind === 'volume') {
    const volume = await open(place.volume);
    const found = await findAll(volume, place);
    return found.map((each): Source => {
      if (each.kind === 'folder')
        return { kind: 'folder', path: basename(path), tree: volumeTree(volume, place.volume, each.key) };
      const { file } = each;
      const at = { kind: 'volume', name: place.volume, volume, key: file.key, file } as const;
      return { kind: 'file', path: basename(file.key), at };
    });
  }
  const files = await ctx.durable();
  const file = await files.lookAt(path, true);
  const name = basename(files.absolute(path));
  if (file === undefined) throw notThere(path);
  if (file.kind === 'folder')
    return [{ kind: 'folder', path: name, tree: localTree(files, path, { followLinks, mayMiss: false }) }];
  if (file.kind === 'file') return [{ kind: 'file', path: name, at: { kind: 'local', path, file } }];
  throw usage(`${path} is neither a file nor a folder`, 'From a pipe: files cp - VOLUME:PATH.');
}

/** Usage (2): a copy into itself would not end. `isSync`: nor may the target be around its source. */
export function refuseNested(source: Tree, target: Tree, isSync: boolean): void {
  const [from, to] = [source.end(''), target.end('')];
  if (from.kind !== 'volume' || to.kind !== 'volume' || from.volume.id !== to.volume.id) return;
  if (to.key.startsWith(from.key) || (isSync && from.key.startsWith(to.key)))
    throw usage('one of the folders is in the other, or they are the same');
}
