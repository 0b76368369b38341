import { EXIT } from '../../../core/exit-codes.ts';
import { Failure, usage } from '../../../core/failure.ts';
import { foldedName, refusedName } from '../../shared/paths/names.ts';
import { baseName, belowFolder, endsWithSlash, pathInTarget } from '../../shared/paths/slashes.ts';
import { entriesOf, lookAt, shown, type End, type Entry } from './end.ts';
import type { Bytes } from '../../../core/unit-types.ts';

/** A path at an end. */
export interface At {
  readonly end: End;
  readonly path: string;
}

/** One file to copy. */
export interface Copy {
  readonly from: At & { readonly entry: Entry };
  readonly to: At;
  /** Why it cannot be copied. */
  readonly refused: Failure | undefined;
}

export interface PlanOptions {
  readonly recursive: boolean;
  /** The platform of this machine. */
  readonly platform: string;
  readonly onLeftOut: (path: string) => Promise<void>;
}

/** No path is longer on Linux: what a pod lists below it does not end. */
const MAX_PATH: Bytes = 4096;

/**
 * The files to copy, in order, by the rules of `files cp`: a file is copied into the target where that is a folder or ends with a
 * slash, and else under its name; a folder is copied into the target, with a slash at its end what is in it. Fails with usage (2) for
 * a folder without `recursive`, and for several sources with a target that is no folder; with not-found (4) for a source that is not
 * there. Links and special files below a folder are left out, and named to `onLeftOut`.
 */
export async function* planCopies(sources: readonly At[], target: At, options: PlanOptions): AsyncGenerator<Copy> {
  const into = endsWithSlash(target.path) || (await lookAt(target.end, target.path, true))?.kind === 'folder';
  if (sources.length > 1 && !into)
    throw usage(
      'several sources need a folder as the target',
      `End the target with a slash: ${shown(target.end, target.path)}/`,
    );
  const taken = new Set<string>();
  const links = new Map<string, boolean>();
  for (const source of sources) {
    for await (const { path, below, entry } of filesOf(source, options)) {
      const from = { end: source.end, path, entry };
      const rest = below === undefined ? (into ? baseName(source.path) : '') : pathInTarget(source.path, below);
      const to = { end: target.end, path: rest === '' ? target.path : belowFolder(target.path, rest) };
      const why = refusalOf(to, rest, options.platform, taken) ?? (await leavesTarget(target, rest, links));
      const refused = why === undefined ? undefined : notCopied(shown(from.end, from.path), why);
      yield { from, to, refused };
    }
  }
}

interface Found {
  readonly path: string;
  /** The path below the source where that is a folder. */
  readonly below: string | undefined;
  readonly entry: Entry;
}

async function* filesOf(source: At, options: PlanOptions): AsyncGenerator<Found> {
  const at = shown(source.end, source.path);
  const entry = await lookAt(source.end, source.path, true);
  if (entry?.kind === 'file' && !endsWithSlash(source.path)) yield { path: source.path, below: undefined, entry };
  else if (entry?.kind === 'folder') {
    if (!options.recursive) throw usage(`${at} is a folder`, 'To take all that is in it, add --recursive.');
    yield* filesBelow(source.end, source.path.replace(/[/\\]+$/, '') || '/', '', options);
  } else
    throw new Failure({ code: 'not-found', exit: EXIT.notFound, message: `${at}: there is no such file or folder` });
}

async function* filesBelow(end: End, root: string, folder: string, options: PlanOptions): AsyncGenerator<Found> {
  for (const entry of await entriesOf(end, belowFolder(root, folder).replace(/(?<=.)\/$/, ''))) {
    const below = `${folder}${entry.name}`;
    const path = belowFolder(root, below);
    // A pod may list what is no name: it is refused as a file, and not opened as a folder.
    const isName = !/^\.{0,2}$|[/\0]/.test(entry.name) && Buffer.byteLength(path) <= MAX_PATH;
    if (!isName) yield { path, below: `${folder}../`, entry };
    else if (entry.kind === 'folder') yield* filesBelow(end, root, `${below}/`, options);
    else if (entry.kind === 'file') yield { path, below, entry };
    else await options.onLeftOut(shown(end, path));
  }
}

/** Why a file cannot be there under this name; `taken` holds the names that are used. */
function refusalOf({ end, path }: At, rest: string, platform: string, taken: Set<string>): string | undefined {
  const reason = refusedName(rest === '' ? baseName(path) : rest, end.kind === 'local' ? platform : 'linux');
  const folded = foldedName(rest);
  const isTaken = rest !== '' && taken.has(folded);
  taken.add(folded);
  return (
    reason ??
    (isTaken ? 'another file of the copy has the same name, or one that is the same on some systems' : undefined)
  );
}

/** Why a file would be written out of the target: a folder on its way is a link. `known` holds the folders that were looked at. */
async function leavesTarget(target: At, rest: string, known: Map<string, boolean>): Promise<string | undefined> {
  for (let slash = rest.indexOf('/'); slash > 0; slash = rest.indexOf('/', slash + 1)) {
    const folder = belowFolder(target.path, rest.slice(0, slash));
    const isLink = known.get(folder) ?? (await lookAt(target.end, folder, false))?.kind === 'link';
    known.set(folder, isLink);
    if (isLink) return `${shown(target.end, folder)} is a link, which leads out of the target`;
  }
  return undefined;
}

const notCopied = (what: string, why: string): Failure =>
  new Failure({ code: 'bad-name', exit: EXIT.localFile, message: `${what} was not copied: ${why}` });
