import type { Copy, End, LocalFile } from './copy.ts';
import {
  addressText,
  baseName,
  belowFolder,
  endsWithSlash,
  type FileAddress,
  findOnVolume,
  foldedName,
  folderKey,
  isFolderFailure,
  lookOnVolume,
  notCopyable,
  notThere,
  pathInTarget,
  refusedName,
} from './file-address.ts';
import type { Filter } from './filter.ts';
import { localSide, type Side, type SideEntry, volumeSide } from './sides.ts';
import type { RangeFiles } from '../../core/context.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { createSorter, mapItems, type Sorter } from '../../core/external-sort.ts';
import { Failure, usage } from '../../core/failure.ts';
import type { SortedItems, VolumeFile, VolumeFiles } from '../../core/file-ports.ts';
import { compareBytes } from '../../core/text.ts';
import type { Bytes } from '../../core/unit-types.ts';

/** Entries whose names are the same on some systems. */
interface Alike {
  readonly source: readonly SideEntry[];
  readonly target: readonly SideEntry[];
}

/** Both folders must be in the order of `orderOfName`. */
export async function* alikeIn(
  source: SortedItems<SideEntry> | undefined,
  target: SortedItems<SideEntry> | undefined,
): AsyncGenerator<Alike> {
  const [one, other] = [readerOf(source), readerOf(target)];
  try {
    await one.next();
    await other.next();
    for (;;) {
      const [name] = [one, other].flatMap(({ name }) => name ?? []).sort(compareBytes);
      if (name === undefined) return;
      yield { source: await take(one, name), target: await take(other, name) };
    }
  } finally {
    await one.end();
    await other.end();
  }
}

interface Reader {
  entry: SideEntry | undefined;
  name: string | undefined;
  next(): Promise<void>;
  end(): Promise<void>;
}

function readerOf(items: SortedItems<SideEntry> | undefined): Reader {
  const iterator = items?.[Symbol.asyncIterator]();
  const reader: Reader = {
    entry: undefined,
    name: undefined,
    next: async () => {
      const next = await iterator?.next();
      reader.entry = next?.done === false ? next.value : undefined;
      reader.name = reader.entry === undefined ? undefined : foldedName(reader.entry.name);
    },
    end: async () => {
      await iterator?.return?.();
      await items?.close();
    },
  };
  return reader;
}

async function take(reader: Reader, name: string): Promise<readonly SideEntry[]> {
  const taken: SideEntry[] = [];
  while (reader.name === name && reader.entry !== undefined) {
    taken.push(reader.entry);
    await reader.next();
  }
  return taken;
}

interface Places {
  readonly durable: RangeFiles;
  readonly open: (volume: string) => Promise<VolumeFiles>;
  readonly platform: string;
}

type Place = Exclude<FileAddress, { kind: 'stream' }>;

interface PlanOptions {
  readonly recursive: boolean;
  readonly followLinks: boolean;
  readonly filter: Filter;
  readonly onLeftOut: (path: string, why: string) => Promise<void>;
}

/** Slashes as with rsync. Usage (2): folder without `recursive`, bad target. Not-found (4), local-file (14). */
export async function* planCopies(
  places: Places,
  sources: readonly Place[],
  target: Place,
  options: PlanOptions,
): AsyncGenerator<Copy> {
  const { isFolder: into, isNew } = await lookAtTarget(places, target);
  if (sources.length > 1 && !into)
    throw usage('several sources need a folder as the target', `End the target with a slash: ${textOf(target)}/`);
  const ofAll = sources.length > 1 ? new Set<string>() : undefined;
  const folders = new Map<string, boolean>();
  for (const source of sources) {
    for await (const { from, below, taken } of filesOf(places, source, options, ofAll)) {
      if (!options.filter.takes(below ?? baseName(source.path))) continue;
      const rest = below === undefined ? (into ? baseName(source.path) : '') : pathInTarget(source.path, below);
      const to = await endOf(places, target, rest);
      const refused = refusalOf(places, from, to, rest, taken);
      yield {
        from,
        to,
        isNew,
        path: below ?? baseName(source.path),
        refused: refused ?? (await leavesTarget(places, from, target, rest, folders)),
      };
    }
  }
}

const textOf = (place: Place): string => (place.kind === 'volume' ? addressText(place) : place.path);

async function lookAtTarget(
  { durable, open }: Places,
  target: Place,
): Promise<{ readonly isFolder: boolean; readonly isNew: boolean }> {
  if (target.path === '' || endsWithSlash(target.path)) return { isFolder: true, isNew: false };
  if (target.kind === 'local')
    return { isFolder: (await durable.resolve(target.path)).kind === 'directory', isNew: false };
  const found = await lookOnVolume(await open(target.volume), target);
  return { isFolder: found?.kind === 'folder', isNew: found === undefined };
}

async function endOf({ open }: Places, target: Place, rest: string): Promise<End> {
  if (target.kind === 'local')
    return {
      kind: 'local',
      path: rest === '' ? target.path : belowFolder(target.path, rest),
    };
  const key = rest === '' ? target.path : `${folderKey(target.path)}${rest}`;
  return { kind: 'volume', name: target.volume, volume: await open(target.volume), key };
}

interface Source {
  readonly from: Copy['from'];
  readonly below: string | undefined;
  /** Names that may be the same on some systems; undefined where none may be. */
  readonly taken: Set<string> | undefined;
}

async function* filesOf(
  places: Places,
  source: Place,
  options: PlanOptions,
  taken: Source['taken'],
): AsyncGenerator<Source> {
  if (source.kind === 'volume') {
    const volume = await places.open(source.volume);
    const found = await findOnVolume(volume, source);
    if (found.kind === 'file') {
      const { file } = found;
      yield {
        from: { kind: 'volume', name: source.volume, volume, key: file.key, file },
        below: undefined,
        taken,
      };
    } else if (!options.recursive) throw isFolderFailure(addressText(source));
    else yield* filesBelow(volumeSide(volume, source.volume, found.key), '', options, taken);
    return;
  }
  const { durable } = places;
  const here = await durable.resolve(source.path);
  if (here.kind === 'file') {
    const file = await durable.describe(source.path);
    if (file === undefined) throw notThere(source.path);
    yield { from: { kind: 'local', path: source.path, file: { path: source.path, ...file } }, below: undefined, taken };
  } else if (here.kind === 'directory') {
    if (!options.recursive) throw isFolderFailure(source.path);
    const root = source.path.replace(/[/\\]+$/, '') || '/';
    const side = localSide(durable, root, { followLinks: options.followLinks, mayMiss: false });
    yield* filesBelow(side, '', options, taken);
  } else throw notCopyable(source.path, here);
}

async function* filesBelow(
  side: Side,
  folder: string,
  options: PlanOptions,
  taken: Source['taken'],
): AsyncGenerator<Source> {
  for await (const { source } of alikeIn(await side.list(folder), undefined)) {
    const inThese = source.length > 1 ? (taken ?? new Set<string>()) : taken;
    for (const entry of source) {
      const below = `${folder}${entry.name}`;
      if (entry.kind === 'file') yield { from: entry.from, below, taken: inThese };
      else if (entry.kind === 'left-out') await options.onLeftOut(side.shown(below), entry.why);
      else if (options.filter.enters(below)) yield* filesBelow(side, `${below}/`, options, inThese);
    }
  }
}

/** A folder on its way may be a link out of the target. `known` caches which folders are links. */
async function leavesTarget(
  { durable }: Places,
  from: Copy['from'],
  target: Place,
  rest: string,
  known: Map<string, boolean>,
): Promise<Failure | undefined> {
  if (target.kind !== 'local') return undefined;
  for (let slash = rest.indexOf('/'); slash > 0; slash = rest.indexOf('/', slash + 1)) {
    const folder = belowFolder(target.path, rest.slice(0, slash));
    const isLink = known.get(folder) ?? (await durable.lookAt(folder))?.kind === 'link';
    known.set(folder, isLink);
    if (isLink) return notCopied(from, `${folder} is a link, which leads out of the target`);
  }
  return undefined;
}

function refusalOf(
  { platform }: Places,
  from: Copy['from'],
  to: End,
  rest: string,
  taken: Source['taken'],
): Failure | undefined {
  const name = rest === '' ? baseName(to.kind === 'local' ? to.path : to.key) : rest;
  const reason = refusedName(name, to.kind === 'local' ? platform : 'linux');
  const folded = foldedName(rest);
  const isTaken = rest !== '' && taken?.has(folded) === true;
  taken?.add(folded);
  const why =
    reason ??
    (isTaken ? 'another file of the copy has the same name, or one that is the same on some systems' : undefined);
  if (why === undefined) return undefined;
  return notCopied(from, why);
}

function notCopied(from: Copy['from'], why: string): Failure {
  const shown = from.kind === 'local' ? from.path : addressText({ volume: from.name, path: from.key });
  return badName(`${shown} was not copied: ${why}`);
}

const badName = (message: string): Failure => new Failure({ code: 'bad-name', exit: EXIT.localFile, message });

/** Not held in memory. */
export interface PlannedCopies {
  readonly files: number;
  readonly bytes: Bytes;
  /** In planned order; can be read again. */
  copies(): AsyncIterable<Copy>;
  close(): Promise<void>;
}

type Kept<F> =
  | ({ readonly kind: 'volume'; readonly name: string; readonly key: string } & F)
  | ({ readonly kind: 'local'; readonly path: string } & F);

interface KeptCopy {
  readonly at: number;
  readonly from: Kept<{ readonly file: VolumeFile | LocalFile }>;
  readonly to: Kept<object>;
  readonly isNew: boolean | undefined;
  readonly path: string | undefined;
  readonly refused: string | undefined;
}

/** Plans all copies before the first one starts. Fails as the planning does. */
export async function keepCopies(files: RangeFiles, planned: AsyncIterable<Copy>): Promise<PlannedCopies> {
  const volumes = new Map<string, VolumeFiles>();
  const keep = (end: End): Kept<object> => {
    if (end.kind === 'local') return { kind: 'local', path: end.path };
    volumes.set(end.name, end.volume);
    return { kind: 'volume', name: end.name, key: end.key };
  };
  const revive = <F extends object>(kept: Kept<F>): End & F => {
    if (kept.kind === 'local') return kept;
    const volume = volumes.get(kept.name);
    if (volume === undefined) throw new Error(`${kept.name} was not kept`);
    return { ...kept, volume };
  };
  const sorter: Sorter<KeptCopy> = createSorter(files, ({ at }) => String(at).padStart(12, '0'));
  let [count, bytes] = [0, 0];
  try {
    for await (const { from, to, isNew, path, refused } of planned) {
      const kept = { ...keep(from), file: from.file } as KeptCopy['from'];
      await sorter.add([{ at: count, from: kept, to: keep(to), isNew, path, refused: refused?.message }]);
      count += 1;
      if (refused === undefined) bytes += from.file.bytes;
    }
  } catch (error) {
    await sorter.close();
    throw error;
  }
  return {
    files: count,
    bytes,
    copies: () =>
      mapItems(sorter.sorted(true), ({ from, to, isNew, path, refused }): Copy => ({
        from: revive(from) as Copy['from'],
        to: revive(to),
        ...(isNew === undefined ? {} : { isNew }),
        ...(path === undefined ? {} : { path }),
        refused: refused === undefined ? undefined : badName(refused),
      })),
    close: () => sorter.close(),
  };
}
