import type { RangeFiles } from '../../../core/context.ts';
import { Failure, usage } from '../../../core/failure.ts';
import { EXIT } from '../../../core/exit-codes.ts';
import type { VolumeFiles } from '../../../core/ports/volume-files.ts';
import { baseName, belowFolder, endsWithSlash, pathInTarget } from '../../shared/paths/slashes.ts';
import { foldedName, refusedName } from '../../shared/paths/names.ts';
import { addressText, folderKey, type FileAddress } from '../places/file-address.ts';
import { isFolderFailure, notCopyable, notThere } from '../places/file-failures.ts';
import { findOnVolume, lookOnVolume } from '../places/open-volume.ts';
import { alikeIn } from './alike-names.ts';
import type { Copy, End } from './copy.ts';
import type { Filter } from './filter.ts';
import { localSide } from './local-side.ts';
import { volumeSide } from './volume-side.ts';
import type { Side } from './sides.ts';

/** What the copies need to look at their ends. */
export interface Places {
  readonly durable: RangeFiles;
  readonly open: (volume: string) => Promise<VolumeFiles>;
  readonly platform: string;
}

type Place = Exclude<FileAddress, { kind: 'stream' }>;

export interface PlanOptions {
  readonly recursive: boolean;
  /** Links of this machine are what they lead to. */
  readonly followLinks: boolean;
  /** Which files are copied: by their path below the folder that is copied, a file that is named itself by its name. */
  readonly filter: Filter;
  readonly onLeftOut: (path: string, why: string) => Promise<void>;
}

/**
 * The files to copy, in order. A file is copied into the target where that is a folder or ends with a slash, and else under
 * the target's name. A folder is copied into the target, which is then one: a slash at its end means what is in it, without it
 * the folder itself, as with rsync. Fails
 * with usage (2) for a folder without `recursive`, and for several sources with a target that is no folder; with not-found (4)
 * or local-file (14) for a source that is not there. Links and special files are left out, and named to `onLeftOut`.
 */
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

/** Whether the target is a folder, and whether nothing is there, where that had to be looked at. */
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

/** An end below a target; `rest` is empty for the target itself. */
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
  /** The path below the source where that is a folder. */
  readonly below: string | undefined;
  /** The names that others have which may be the same; undefined where none may be. */
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

/**
 * Why a file would be written out of a local target: a folder on its way is a link. `known` holds the folders that were looked
 * at, and whether they are links.
 */
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

/** Why a file cannot be there under this name; `taken` holds the names that are used. */
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

/** The failure (14) of a file that cannot have its name at the target. */
export const badName = (message: string): Failure => new Failure({ code: 'bad-name', exit: EXIT.localFile, message });
