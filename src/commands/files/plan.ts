import type { CommandContext } from '../../cli/model/context.ts';
import {
  addressText,
  expandPlace,
  type FileAddress,
  findOnVolume,
  folderKey,
  isFolderFailure,
  lookOnVolume,
  notCopyable,
  notThere,
  parseFileAddress,
  volumeOpener,
} from './address.ts';
import type { Filter } from './filter.ts';
import { baseName, endsWithSlash, foldedName, foldsNames, joined, refusedName } from './names.ts';
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
import { compareBytes } from '../../core/text.ts';

export type Place = Exclude<FileAddress, { kind: 'stream' }>;

export interface Copy {
  readonly kind: 'copy';
  readonly from: FileEnd;
  readonly to: End;
  /** Below the source. */
  readonly path: string;
  readonly modifiedAt?: TreeFile['modifiedAt'];
  /** What the target has in its place; `unknown` where nobody has looked. */
  readonly there: TreeFile | 'nothing' | 'unknown';
  readonly refused: Failure | undefined;
}

export type Step =
  | Copy
  /** Only the target has it. */
  | { readonly kind: 'extra'; readonly file: TreeFile }
  | Exclude<TreeItem, TreeFile>;

/** Up to so many files the target is asked about each; of more, a listing of it is read. */
const FEW = 20;

const notCopied = (from: FileEnd, why: string | undefined): Failure | undefined =>
  why === undefined ? undefined : badName(`${shown(from)} was not copied: ${why}`);

/** What makes one folder the copy of another. Fails on a listing that is not complete: what came before holds. */
export async function* planTree(
  ctx: CommandContext,
  source: Tree,
  target: Tree,
  { filter, hasExtras }: { readonly filter: Filter; readonly hasExtras: boolean },
): AsyncGenerator<Step> {
  const platform = target.kind === 'local' ? ctx.platform : 'linux';
  const root = target.end('');
  const isFolding = root.kind === 'local' && (await foldsNames(await ctx.durable(), root.path));
  const folded = new Set<string>();
  const extras: TreeFile[] = [];
  for await (const [path, one, other] of paired(source.items(filter), target, filter, hasExtras)) {
    if (one === undefined) {
      if (other?.kind === 'file') extras.push(other);
      else if (other?.kind === 'failed') yield other;
      continue;
    }
    if (one.kind !== 'file') {
      yield one;
      continue;
    }
    const isTaken = folded.has(foldedName(path));
    if (isFolding) folded.add(foldedName(path));
    const why =
      refusedName(path, platform) ??
      (isTaken ? 'the target takes its name for that of another file' : undefined) ??
      (other?.kind === 'left-out' ? `in its place, ${other.why.replace(/^it/, 'there')}` : undefined);
    const there = other?.kind === 'file' ? other : 'nothing';
    const [from, to, refused] = [one.at, target.end(path), notCopied(one.at, why)];
    yield { kind: 'copy', from, to, path, modifiedAt: one.modifiedAt, there, refused };
  }
  for (const file of extras) if (!folded.has(foldedName(file.path))) yield { kind: 'extra', file };
}

/** Items of the source and of the target at one path. */
type Pair = readonly [path: string, one: TreeItem | undefined, other: TreeItem | undefined];

/** Each item of the source with what the target has; where `hasExtras`, also what only the target has. */
async function* paired(
  items: AsyncIterable<TreeItem>,
  target: Tree,
  filter: Filter,
  hasExtras: boolean,
): AsyncGenerator<Pair> {
  const ones = items[Symbol.asyncIterator]();
  const first: TreeItem[] = [];
  const next = async (): Promise<TreeItem | undefined> => {
    const item = first.shift();
    if (item !== undefined) return item;
    const found = await ones.next();
    return found.done === true ? undefined : found.value;
  };
  try {
    if (!hasExtras && target.kind === 'volume')
      for (let item = await ones.next(); item.done !== true; item = await ones.next()) {
        first.push(item.value);
        if (first.length > FEW) break;
      }
    if (hasExtras || (target.kind === 'volume' && first.length > FEW))
      yield* merged(next, target.items(filter), hasExtras);
    else
      for (let one = await next(); one !== undefined; one = await next())
        yield [one.path, one, one.kind === 'file' ? await target.look(one.path) : undefined];
  } finally {
    await ones.return?.();
  }
}

/** Both come in the order of the bytes of their paths. */
async function* merged(
  next: () => Promise<TreeItem | undefined>,
  others: AsyncIterable<TreeItem>,
  hasExtras: boolean,
): AsyncGenerator<Pair> {
  let one = await next();
  for await (const other of others) {
    for (; one !== undefined && compareBytes(one.path, other.path) < 0; one = await next())
      yield [one.path, one, undefined];
    if (one?.path === other.path) {
      yield [one.path, one, other];
      one = await next();
    } else if (hasExtras) yield [other.path, undefined, other];
    else if (one === undefined) return;
  }
  for (; one !== undefined; one = await next()) yield [one.path, one, undefined];
}

/** The target is the last word. Usage (2) if none of them is on a volume. */
export function sourcesAndTarget(words: readonly string[], what: string): readonly [readonly Place[], Place] {
  const all = words.map(parseFileAddress);
  const named = all.filter((each): each is Place => each.kind !== 'stream');
  const target = named.at(-1);
  if (all.length < 2) throw usage(`${what} needs a source and a target`, 'The last place is the target.');
  if (named.length < all.length || target === undefined)
    throw usage('cannot copy to or from "-"', 'Name a file; files cat prints one.');
  if (!named.some(({ kind }) => kind === 'volume'))
    throw usage('none of the places is on a volume', 'Write VOLUME:PATH for a file on a volume.');
  return [named.slice(0, -1), target];
}

export interface PlanOptions {
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
  const files = await ctx.durable();
  const open = volumeOpener(ctx);
  const sources: Place[] = [];
  for (const place of given)
    sources.push(...(place.kind === 'volume' ? await expandPlace(await open(place.volume), place) : [place]));
  const isSeveral = sources.length > 1 || sources[0]?.path !== given[0]?.path;
  const remote = target.kind === 'volume' ? { name: target.volume, volume: await open(target.volume) } : undefined;
  const taken = new Set<string>();
  for (const place of sources) {
    const source = await openSource(place, open, followLinks, ctx);
    if (source.kind === 'folder' && !recursive) throw isFolderFailure(nameOf(place));
    const steps = source.kind === 'file' ? planFile(baseName(place.path), source.at) : planFolder(place, source.tree);
    for await (const step of steps) {
      const end = isSeveral && step.kind === 'copy' ? shown(step.to) : '';
      yield step.kind === 'copy' && taken.has(end)
        ? { ...step, refused: notCopied(step.from, 'another file of the copy has the same name') }
        : step;
      if (end !== '') taken.add(end);
    }
  }

  async function* planFile(name: string, from: FileEnd): AsyncGenerator<Step> {
    if (!filter.takes(name)) return;
    const isFolder = isSeveral || target.path === '' || endsWithSlash(target.path);
    const found = isFolder || remote === undefined ? undefined : await lookOnVolume(remote.volume, target);
    const isInto =
      isFolder ||
      (remote === undefined ? (await files.resolve(target.path)).kind === 'directory' : found?.kind === 'folder');
    const to: End =
      remote === undefined
        ? { kind: 'local', path: isInto ? joined(target.path, name) : target.path }
        : { kind: 'volume', ...remote, key: isInto ? `${folderKey(target.path)}${name}` : target.path };
    const there: Copy['there'] =
      to.kind === 'local' || isInto
        ? 'unknown'
        : found?.kind === 'file'
          ? { kind: 'file', path: name, modifiedAt: undefined, at: { ...to, file: found.file } }
          : 'nothing';
    const [path, platform] = to.kind === 'local' ? [baseName(to.path), ctx.platform] : [to.key, 'linux'];
    yield { kind: 'copy', from, to, path: name, there, refused: notCopied(from, refusedName(path, platform)) };
  }

  async function* planFolder(place: Place, source: Tree): AsyncGenerator<Step> {
    const name = isSeveral ? baseName(place.kind === 'local' ? files.absolute(place.path) : place.path) : '';
    const folder = await openTarget(ctx, open, target, name);
    refuseNested(source, folder, false);
    yield* planTree(ctx, source, folder, { filter, hasExtras: false });
  }
}

/** A folder that may be missing, or one in it. */
export async function openTarget(ctx: CommandContext, open: Opener, target: Place, name = ''): Promise<Tree> {
  if (target.kind === 'local')
    return localTree(await ctx.durable(), joined(target.path, name), { followLinks: false, mayMiss: true });
  const key = folderKey(`${folderKey(target.path)}${name}`);
  return volumeTree(await open(target.volume), target.volume, key);
}

type Opener = ReturnType<typeof volumeOpener>;
type Source = { readonly kind: 'file'; readonly at: FileEnd } | { readonly kind: 'folder'; readonly tree: Tree };

/** Not-found (4) for a missing one; usage (2) for a pipe or a device. */
export async function openSource(
  place: Place,
  open: Opener,
  followLinks: boolean,
  ctx: CommandContext,
): Promise<Source> {
  if (place.kind === 'volume') {
    const volume = await open(place.volume);
    const found = await findOnVolume(volume, place);
    if (found.kind === 'folder') return { kind: 'folder', tree: volumeTree(volume, place.volume, found.key) };
    const { file } = found;
    return { kind: 'file', at: { kind: 'volume', name: place.volume, volume, key: file.key, file } };
  }
  const { path } = place;
  const files = await ctx.durable();
  const here = await files.resolve(path);
  if (here.kind === 'directory')
    return { kind: 'folder', tree: localTree(files, path, { followLinks, mayMiss: false }) };
  const file = here.kind === 'file' ? await files.describe(path) : undefined;
  if (file === undefined) throw here.kind === 'file' ? notThere(path) : notCopyable(path, here);
  return { kind: 'file', at: { kind: 'local', path, file } };
}

const nameOf = (place: Place): string => (place.kind === 'volume' ? addressText(place) : place.path);

/** Usage (2): a copy into itself would not end. `isSync`: nor may the target be around its source. */
export function refuseNested(source: Tree, target: Tree, isSync: boolean): void {
  const [from, to] = [source.end(''), target.end('')];
  if (from.kind !== 'volume' || to.kind !== 'volume' || from.volume.id !== to.volume.id) return;
  if (to.key.startsWith(from.key) || (isSync && from.key.startsWith(to.key)))
    throw usage('one of the folders is in the other, or they are the same');
}
