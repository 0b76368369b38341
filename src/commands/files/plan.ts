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
import { type Filter } from './filter.ts';
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
import type { Failure } from '../../core/failure.ts';
import { usage } from '../../core/failure.ts';
import { compareBytes } from '../../core/text.ts';

export type Place = Exclude<FileAddress, { kind: 'stream' }>;

export interface Copy {
  readonly from: FileEnd;
  readonly to: End;
  /** Below the source. */
  readonly path: string;
  /** What the target has in its place; `unknown` where nobody has looked. */
  readonly there: TreeFile | 'nothing' | 'unknown';
  readonly refused?: Failure | undefined;
}

export type Step =
  | { readonly kind: 'copy'; readonly copy: Copy; readonly source: TreeFile }
  /** Only the target has it. */
  | { readonly kind: 'extra'; readonly file: TreeFile }
  | Exclude<TreeItem, TreeFile>;

/** Up to so many files the target is asked about each; of more, a listing of it is read. */
const FEW = 20;

interface TreePlan {
  readonly filter: Filter;
  readonly ignoreFiles: readonly string[];
  /** What only the target has is told too. */
  readonly hasExtras: boolean;
}

/** What makes one folder the copy of another. Fails on a listing that is not complete: what came before holds. */
export async function* planTree(
  ctx: CommandContext,
  source: Tree,
  target: Tree,
  { filter, ignoreFiles, hasExtras }: TreePlan,
): AsyncGenerator<Step> {
  const platform = target.kind === 'local' ? ctx.platform : 'linux';
  const root = target.end('');
  const folded =
    root.kind === 'local' && (await foldsNames(await ctx.durable(), root.path)) ? new Set<string>() : undefined;
  const items = source.items({ filter, ignoreFiles });
  const extras: TreeFile[] = [];
  for await (const { path, one, other } of await paired(items, target, filter, hasExtras)) {
    if (one === undefined) {
      if (other?.kind === 'file') extras.push(other);
      else if (other?.kind === 'failed') yield other;
      continue;
    }
    if (one.kind !== 'file') {
      yield one;
      continue;
    }
    const isTaken = folded?.has(foldedName(path)) === true;
    folded?.add(foldedName(path));
    const why =
      refusedName(path, platform) ??
      (isTaken ? 'the target takes its name for that of another file' : undefined) ??
      (other?.kind === 'left-out' ? `in its place, ${other.why.replace(/^it/, 'there')}` : undefined);
    const copy: Copy = {
      from: one.at,
      to: target.end(path),
      path,
      there: other?.kind === 'file' ? other : 'nothing',
      refused: why === undefined ? undefined : badName(`${shown(one.at)} was not copied: ${why}`),
    };
    yield { kind: 'copy', source: one, copy };
  }
  for (const file of extras) if (folded?.has(foldedName(file.path)) !== true) yield { kind: 'extra', file };
}

interface Pair {
  readonly path: string;
  readonly one: TreeItem | undefined;
  readonly other: TreeItem | undefined;
}

/** Each item of the source with what the target has; where `hasExtras`, also what only the target has. */
async function paired(
  items: AsyncIterable<TreeItem>,
  target: Tree,
  filter: Filter,
  hasExtras: boolean,
): Promise<AsyncIterable<Pair>> {
  const source = items[Symbol.asyncIterator]();
  const first: TreeItem[] = [];
  while (!hasExtras && first.length <= FEW) {
    const next = await source.next();
    if (next.done === true) return lookedUp(first, target);
    first.push(next.value);
  }
  const all = (async function* () {
    yield* first;
    yield* { [Symbol.asyncIterator]: () => source };
  })();
  return !hasExtras && target.kind === 'local'
    ? lookedUp(all, target)
    : merged(all, target.items({ filter, ignoreFiles: [] }), hasExtras);
}

async function* lookedUp(items: Iterable<TreeItem> | AsyncIterable<TreeItem>, target: Tree): AsyncGenerator<Pair> {
  for await (const one of items)
    yield { path: one.path, one, other: one.kind === 'file' ? await target.look(one.path) : undefined };
}

/** Both come in the order of the bytes of their paths. */
async function* merged(
  ones: AsyncIterable<TreeItem>,
  others: AsyncIterable<TreeItem>,
  hasExtras: boolean,
): AsyncGenerator<Pair> {
  const [left, right] = [ones[Symbol.asyncIterator](), others[Symbol.asyncIterator]()];
  const take = async (from: AsyncIterator<TreeItem>): Promise<TreeItem | undefined> => {
    const next = await from.next();
    return next.done === true ? undefined : next.value;
  };
  try {
    let [one, other] = await Promise.all([take(left), take(right)]);
    while (one !== undefined || (hasExtras && other !== undefined)) {
      const order = one === undefined ? 1 : other === undefined ? -1 : compareBytes(one.path, other.path);
      const path = (order <= 0 ? one : other)?.path ?? '';
      if (order <= 0 || hasExtras)
        yield { path, one: order <= 0 ? one : undefined, other: order >= 0 ? other : undefined };
      if (order <= 0) one = await take(left);
      if (order >= 0) other = await take(right);
    }
  } finally {
    await left.return?.();
    await right.return?.();
  }
}

/** The target is the last word. Usage (2) if none of them is on a volume. */
export function sourcesAndTarget(words: readonly string[], what: string): readonly [readonly Place[], Place] {
  const all = words.map(parseFileAddress);
  const target = all.at(-1);
  if (target === undefined || all.length < 2)
    throw usage(`${what} needs a source and a target`, 'The last place is the target.');
  const named = all.filter((each): each is Place => each.kind !== 'stream');
  if (named.length < all.length) throw usage('cannot copy to or from "-"', 'Name a file; files cat prints one.');
  if (!named.some(({ kind }) => kind === 'volume'))
    throw usage('none of the places is on a volume', 'Write VOLUME:PATH for a file on a volume.');
  return [named.slice(0, -1), target as Place];
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
    sources.push(...(place.kind === 'volume' ? await expandPlace((await open(place.volume)).files, place) : [place]));
  const isSeveral = sources.length > 1 || sources[0]?.path !== given[0]?.path;
  const to = await openTarget(target);
  const taken = new Set<string>();
  for (const place of sources) {
    const source = await openSource(place);
    if (source.kind === 'file') {
      const name = baseName(place.path);
      if (!filter.takes(name)) continue;
      const isInto = isSeveral || (await to.isFolder());
      const end = to.at(isInto ? name : '');
      const path = end.kind === 'local' ? baseName(end.path) : end.key;
      const why =
        refusedName(path, end.kind === 'local' ? ctx.platform : 'linux') ??
        (taken.has(shown(end)) ? 'another file of the copy has the same name' : undefined);
      taken.add(shown(end));
      const refused = why === undefined ? undefined : badName(`${shown(source.at)} was not copied: ${why}`);
      const copy: Copy = { from: source.at, to: end, path: name, there: to.there(end), refused };
      yield { kind: 'copy', copy, source: { kind: 'file', path: name, modifiedAt: undefined, at: source.at } };
      continue;
    }
    if (!recursive) throw isFolderFailure(textOf(place));
    const name = isSeveral ? baseName(place.kind === 'local' ? files.absolute(place.path) : place.path) : '';
    const folder = to.tree(name);
    refuseNested(source.tree, folder, false);
    for await (const step of planTree(ctx, source.tree, folder, { filter, ignoreFiles: [], hasExtras: false })) {
      const end = step.kind === 'copy' ? shown(step.copy.to) : '';
      const isTaken = isSeveral && step.kind === 'copy' && taken.has(end);
      if (isSeveral) taken.add(end);
      yield isTaken
        ? {
            ...step,
            copy: {
              ...step.copy,
              refused: badName(`${shown(step.copy.from)} was not copied: another file of the copy has the same name`),
            },
          }
        : step;
    }
  }

  async function openTarget(place: Place) {
    if (place.kind === 'local')
      return {
        at: (name: string): End => ({ kind: 'local', path: joined(place.path, name) }),
        there: () => 'unknown' as const,
        isFolder: async () => endsWithSlash(place.path) || (await files.resolve(place.path)).kind === 'directory',
        tree: (name: string) => localTree(files, joined(place.path, name), { followLinks: false, mayMiss: true }),
      };
    const { files: volume } = await open(place.volume);
    let looked: ReturnType<typeof lookOnVolume> | undefined;
    let isNew = false;
    return {
      at: (name: string): End => ({
        kind: 'volume',
        name: place.volume,
        volume,
        key: name === '' ? place.path : `${folderKey(place.path)}${name}`,
      }),
      there: (end: End) => (isNew && end.kind === 'volume' && end.key === place.path ? 'nothing' : 'unknown'),
      isFolder: async () => {
        if (place.path === '' || endsWithSlash(place.path)) return true;
        const found = await (looked ??= lookOnVolume(volume, place));
        isNew = found === undefined;
        return found?.kind === 'folder';
      },
      tree: (name: string) => volumeTree(volume, place.volume, folderKey(`${folderKey(place.path)}${name}`)),
    };
  }

  async function openSource(
    place: Place,
  ): Promise<{ readonly kind: 'file'; readonly at: FileEnd } | { readonly kind: 'folder'; readonly tree: Tree }> {
    if (place.kind === 'volume') {
      const { files: volume } = await open(place.volume);
      const found = await findOnVolume(volume, place);
      if (found.kind === 'folder') return { kind: 'folder', tree: volumeTree(volume, place.volume, found.key) };
      const { file } = found;
      return { kind: 'file', at: { kind: 'volume', name: place.volume, volume, key: file.key, file } };
    }
    const { path } = place;
    const here = await files.resolve(path);
    if (here.kind === 'directory')
      return { kind: 'folder', tree: localTree(files, path, { followLinks, mayMiss: false }) };
    const file = here.kind === 'file' ? await files.describe(path) : undefined;
    if (file === undefined) throw here.kind === 'file' ? notThere(path) : notCopyable(path, here);
    return { kind: 'file', at: { kind: 'local', path, file } };
  }
}

const textOf = (place: Place): string => (place.kind === 'volume' ? addressText(place) : place.path);

/** Usage (2): a copy into itself would not end. `isSync`: nor may the target be around its source. */
export function refuseNested(source: Tree, target: Tree, isSync: boolean): void {
  const [from, to] = [source.end(''), target.end('')];
  if (from.kind !== 'volume' || to.kind !== 'volume' || from.volume.id !== to.volume.id) return;
  if (to.key.startsWith(from.key) || (isSync && from.key.startsWith(to.key)))
    throw usage('one of the folders is in the other, or they are the same');
}
