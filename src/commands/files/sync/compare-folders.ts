import { EXIT } from '../../../core/exit-codes.ts';
import { Failure } from '../../../core/failure.ts';
import { foldedName, refusedName } from '../../shared/paths/names.ts';
import type { Filter } from '../copy/filter.ts';
import type { Difference, Side, SideEntry, SideFile } from '../copy/sides.ts';

export interface CompareOptions {
  readonly filter: Filter;
  /** The names of files with rules as those of .gitignore, which are read in each folder of the source. */
  readonly ignoreFiles: readonly string[];
  /** The platform of the machine that has the target; `linux` for a volume. */
  readonly platform: string;
}

/** A folder that waits for its turn. */
interface Folder {
  /** With a slash at the end, or empty. */
  readonly path: string;
  readonly inSource: boolean;
  readonly inTarget: boolean;
  /** Why nothing in it can be at the target. */
  readonly refused: string | undefined;
  readonly filter: Filter;
  listing?: Promise<Listed>;
}

interface Listed {
  readonly source: readonly SideEntry[];
  readonly target: readonly SideEntry[];
  /** The texts of the files with rules. */
  readonly rules: readonly string[];
}

/** How many folders are listed ahead: only so many are in memory. */
const AHEAD = 8;

/**
 * Walks two folders side by side, folder by folder, and yields each file of the source and each that only the target has, those
 * of a folder in the order of their names. A local folder that cannot be read is yielded as such. Fails where a listing of a
 * volume cannot be read whole: what was yielded until then is no whole list.
 */
export async function* compareFolders(source: Side, target: Side, options: CompareOptions): AsyncGenerator<Difference> {
  const stack: Folder[] = [{ path: '', inSource: true, inTarget: true, refused: undefined, filter: options.filter }];
  const list = async ({ path, inSource, inTarget }: Folder): Promise<Listed> => {
    const sides = [...(inSource ? [source] : []), ...(inTarget ? [target] : [])];
    const listings = await Promise.all(sides.map((side) => side.list(path)));
    const ofSource = (inSource ? listings[0] : undefined) ?? [];
    const ofTarget = (inTarget ? listings.at(-1) : undefined) ?? [];
    const rules: string[] = [];
    for (const entry of ofSource)
      if (entry.kind === 'file' && options.ignoreFiles.includes(entry.name)) rules.push(await source.readText(entry));
    return { source: ofSource, target: ofTarget, rules };
  };
  try {
    for (let folder = next(); folder !== undefined; folder = next()) {
      let listed: Listed;
      try {
        listed = await begin(folder);
      } catch (error) {
        if (!(error instanceof Failure) || error.exit !== EXIT.localFile) throw error;
        yield { kind: 'unreadable', path: folder.path, failure: error };
        continue;
      }
      const below: Folder[] = [];
      yield* compareFolder(folder, listed, { ...options, isLocal: target.kind === 'local' }, below);
      stack.push(...below.toReversed());
    }
  } finally {
    await Promise.allSettled(stack.flatMap(({ listing }) => listing ?? []));
  }

  function next(): Folder | undefined {
    for (const waiting of stack.slice(-AHEAD)) void begin(waiting).catch(() => undefined);
    return stack.pop();
  }
  function begin(folder: Folder): Promise<Listed> {
    return (folder.listing ??= list(folder));
  }
}

/** Compares what is in one folder; adds the folders in it to `below`. */
function* compareFolder(
  folder: Folder,
  { source, target, rules }: Listed,
  { platform, isLocal }: CompareOptions & { readonly isLocal: boolean },
  below: Folder[],
): Generator<Difference> {
  const filter = folder.filter.below(folder.path, rules);
  const left = new Map(target.map((entry) => [entry.name, entry]));
  const taken = new Map<string, string>();
  const enter = (path: string, where: Pick<Folder, 'inSource' | 'inTarget'>, refused?: string): void => {
    if (filter.enters(path)) below.push({ path: `${path}/`, ...where, refused, filter });
  };
  const extra = function* (path: string, file: SideFile): Generator<Difference> {
    if (filter.takes(path)) yield { kind: 'extra', path, target: file };
  };
  for (const entry of source) {
    const { name } = entry;
    const path = `${folder.path}${name}`;
    const there = left.get(name);
    left.delete(name);
    const folded = foldedName(name);
    const isTaken = taken.has(folded);
    taken.set(folded, name);
    const refused =
      folder.refused ??
      refusedName(name, platform) ??
      (isTaken ? 'another file or folder beside it has a name that is the same on some systems' : undefined) ??
      conflict(entry, there);
    if (entry.kind === 'left-out') {
      if (filter.takes(path)) yield { kind: 'left-out', path, why: entry.why };
    } else if (entry.kind === 'folder') {
      enter(path, { inSource: true, inTarget: there?.kind === 'folder' }, refused);
      if (there?.kind === 'file') yield* extra(path, there);
    } else {
      if (there?.kind === 'folder') enter(path, { inSource: false, inTarget: true });
      if (filter.takes(path))
        yield { kind: 'file', path, source: entry, target: there?.kind === 'file' ? there : undefined, refused };
    }
  }
  for (const entry of left.values()) {
    const path = `${folder.path}${entry.name}`;
    // On a file system that knows no case it may be the file of the source.
    if (isLocal && taken.has(foldedName(entry.name))) continue;
    if (entry.kind === 'folder') enter(path, { inSource: false, inTarget: true });
    else if (entry.kind === 'file') yield* extra(path, entry);
  }
}

/** Why an entry of the source cannot be at the target, because of what is there. */
function conflict({ kind }: SideEntry, there: SideEntry | undefined): string | undefined {
  if (there === undefined || kind === 'left-out' || there.kind === kind) return undefined;
  if (there.kind === 'left-out') return 'what is in its place is a link or no regular file, and is not replaced';
  return kind === 'file' ? 'a folder is in its place' : 'a file is where its folder must be';
}
