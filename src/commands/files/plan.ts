import type { CommandContext } from '../../cli/model/context.ts';
import {
  findAll,
  folderKey,
  isFolderFailure,
  lookOnVolume,
  notThere,
  parsePlace,
  type Place,
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

export interface Copy {
  readonly kind: 'copy';
  readonly from: FileEnd;
  readonly to: End;
  /** What the target has in its place; `unknown` where nobody has looked. */
  readonly there: FileEnd | 'nothing' | 'unknown';
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
  for await (const [one, other] of paired(source, target, filter, hasExtras)) {
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
    const why =
      refusedName(path, platform) ??
      (isTaken ? 'the target takes its name for that of another file' : undefined) ??
      (other?.kind === 'left-out' ? `in its place, ${other.why.replace(/^it/, 'there')}` : undefined);
    const there = other?.kind === 'file' ? other.at : 'nothing';
    yield { kind: 'copy', from, to: target.end(path), there, refused: notCopied(from, why) };
  }
  for (const file of extras) if (!folded.has(foldedName(file.path))) yield { kind: 'extra', file };
}

/** Items of the source and of the target at one path. */
type Pair = readonly [one: TreeItem | undefined, other: TreeItem | undefined];

/** Each item of the source with what the target has; where `hasExtras`, also what only the target has. */
async function* paired(source: Tree, target: Tree, filter: Filter, hasExtras: boolean): AsyncGenerator<Pair> {
  const ones = source.items(filter)[Symbol.asyncIterator]();
  const first: TreeItem[] = [];
  const read = async (): Promise<TreeItem | undefined> => {
    const found = await ones.next();
    return found.done === true ? undefined : found.value;
  };
  const next = async (): Promise<TreeItem | undefined> => first.shift() ?? (await read());
  try {
    while (!hasExtras && target.kind === 'volume' && first.length <= FEW) {
      const item = await read();
      if (item === undefined) break;
      first.push(item);
    }
    if (hasExtras || first.length > FEW) yield* merged(next, target.items(filter), hasExtras);
    else
      for (let one = await next(); one !== undefined; one = await next())
        yield [one, one.kind === 'file' ? await target.look(one.path) : undefined];
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
  const files = await ctx.durable();
  const open = volumeOpener(ctx);
  const sources: Source[] = [];
  for (const place of given) sources.push(...(await openSources(ctx, place, open, followLinks)));
  const isSeveral = sources.length > 1;
  const remote = target.kind === 'volume' ? { name: target.volume, volume: await open(target.volume) } : undefined;
  const taken = new Set<string>();
  for (const source of sources) {
    if (source.kind === 'folder' && !recursive) throw isFolderFailure(shown(source.tree.end('')));
    for await (const step of source.kind === 'file' ? planFile(source) : planFolder(source)) {
      const end = isSeveral && step.kind === 'copy' ? shown(step.to) : '';
      yield step.kind === 'copy' && taken.has(end)
        ? { ...step, refused: notCopied(step.from, 'another file of the copy has the same name') }
        : step;
      if (end !== '') taken.add(end);
    }
  }

  async function* planFile({ name, at: from }: FileSource): AsyncGenerator<Step> {
    if (!filter.takes(name)) return;
    const isFolder = isSeveral || target.path === '' || endsWithSlash(target.path);
    const found = isFolder || remote === undefined ? undefined : await lookOnVolume(remote.volume, target);
    const here = isFolder || remote !== undefined ? undefined : await files.lookAt(target.path, true);
    const isInto = isFolder || found?.kind === 'folder' || here?.kind === 'folder';
    const to: End =
      remote === undefined
        ? { kind: 'local', path: isInto ? joined(target.path, name) : target.path }
        : { kind: 'volume', ...remote, key: isInto ? `${folderKey(target.path)}${name}` : target.path };
    const there: Copy['there'] =
      to.kind === 'local' || isInto ? 'unknown' : found?.kind === 'file' ? { ...to, file: found.file } : 'nothing';
    const [path, platform] = to.kind === 'local' ? [baseName(to.path), ctx.platform] : [to.key, 'linux'];
    yield { kind: 'copy', from, to, there, refused: notCopied(from, refusedName(path, platform)) };
  }

  async function* planFolder({ name, tree }: FolderSource): AsyncGenerator<Step> {
    const folder = await openTarget(ctx, open, target, isSeveral ? name : '');
    refuseNested(tree, folder, false);
    yield* planTree(ctx, tree, folder, { filter, hasExtras: false });
  }
}

type Opener = ReturnType<typeof volumeOpener>;

/** A folder that may be missing, or one in it. */
export async function openTarget(ctx: CommandContext, open: Opener, target: Place, name = ''): Promise<Tree> {
  if (target.kind === 'local')
    return localTree(await ctx.durable(), joined(target.path, name), { followLinks: false, mayMiss: true });
  const key = folderKey(`${folderKey(target.path)}${name}`);
  return volumeTree(await open(target.volume), target.volume, key);
}

interface FileSource {
  readonly kind: 'file';
  readonly name: string;
  readonly at: FileEnd;
}

interface FolderSource {
  readonly kind: 'folder';
  readonly name: string;
  readonly tree: Tree;
}

type Source = FileSource | FolderSource;

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
        return { kind: 'folder', name: baseName(path), tree: volumeTree(volume, place.volume, each.key) };
      const { file } = each;
      const at = { kind: 'volume', name: place.volume, volume, key: file.key, file } as const;
      return { kind: 'file', name: baseName(file.key), at };
    });
  }
  const files = await ctx.durable();
  const file = await files.lookAt(path, true);
  const name = baseName(files.absolute(path));
  if (file === undefined) throw notThere(path);
  if (file.kind === 'folder')
    return [{ kind: 'folder', name, tree: localTree(files, path, { followLinks, mayMiss: false }) }];
  if (file.kind === 'file') return [{ kind: 'file', name, at: { kind: 'local', path, file } }];
  throw usage(`${path} is neither a file nor a folder`, 'From a pipe: files cp - VOLUME:PATH.');
}

/** Usage (2): a copy into itself would not end. `isSync`: nor may the target be around its source. */
export function refuseNested(source: Tree, target: Tree, isSync: boolean): void {
  const [from, to] = [source.end(''), target.end('')];
  if (from.kind !== 'volume' || to.kind !== 'volume' || from.volume.id !== to.volume.id) return;
  if (to.key.startsWith(from.key) || (isSync && from.key.startsWith(to.key)))
    throw usage('one of the folders is in the other, or they are the same');
}
