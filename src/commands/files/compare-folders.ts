import { alikeIn } from './copy-plan.ts';
import { refusedName } from './file-address.ts';
import type { Filter } from './filter.ts';
import type { Difference, Side, SideEntry, SideFile } from './sides.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import type { SortedItems } from '../../core/file-ports.ts';

interface CompareOptions {
  readonly filter: Filter;
  /** Read in each folder of the source, with rules as in .gitignore. */
  readonly ignoreFiles: readonly string[];
  /** `linux` for a volume. */
  readonly platform: string;
}

interface Folder {
  /** With a slash at the end, or empty. */
  readonly path: string;
  readonly inSource: boolean;
  readonly inTarget: boolean;
  readonly refused: string | undefined;
  readonly filter: Filter;
  listing?: Promise<Listed>;
}

interface Listed {
  readonly source: SortedItems<SideEntry> | undefined;
  readonly target: SortedItems<SideEntry> | undefined;
  readonly rules: readonly string[];
}

/** Only so many listed folders are in memory. */
const AHEAD = 8;

/** In order of names without case. Fails on an incomplete volume listing: results so far are partial. */
export async function* compareFolders(source: Side, target: Side, options: CompareOptions): AsyncGenerator<Difference> {
  const stack: Folder[] = [{ path: '', inSource: true, inTarget: true, refused: undefined, filter: options.filter }];
  const list = async ({ path, inSource, inTarget }: Folder): Promise<Listed> => {
    const [ofSource, ofTarget] = await Promise.allSettled([
      inSource ? source.list(path) : undefined,
      inTarget ? target.list(path) : undefined,
    ]);
    try {
      const rules: string[] = [];
      for (const name of inSource ? options.ignoreFiles : []) {
        const file = await source.look(`${path}${name}`);
        if (file !== undefined) rules.push(await source.readText(file));
      }
      return { source: valueOf(ofSource), target: valueOf(ofTarget), rules };
    } catch (error) {
      for (const each of [ofSource, ofTarget]) if (each.status === 'fulfilled') await each.value?.close();
      throw error;
    }
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
    for (const { listing } of stack) {
      const listed = await listing?.catch(() => undefined);
      await listed?.source?.close();
      await listed?.target?.close();
    }
  }

  function next(): Folder | undefined {
    for (const waiting of stack.slice(-AHEAD)) void begin(waiting).catch(() => undefined);
    return stack.pop();
  }
  function begin(folder: Folder): Promise<Listed> {
    return (folder.listing ??= list(folder));
  }
}

function valueOf<T>(ended: PromiseSettledResult<T>): T {
  if (ended.status === 'rejected') throw ended.reason;
  return ended.value;
}

/** Adds the folders in it to `below`. */
async function* compareFolder(
  folder: Folder,
  { source, target, rules }: Listed,
  { platform, isLocal }: CompareOptions & { readonly isLocal: boolean },
  below: Folder[],
): AsyncGenerator<Difference> {
  const filter = folder.filter.below(folder.path, rules);
  const enter = (path: string, where: Pick<Folder, 'inSource' | 'inTarget'>, refused?: string): void => {
    if (filter.enters(path)) below.push({ path: `${path}/`, ...where, refused, filter });
  };
  const extra = function* (path: string, file: SideFile): Generator<Difference> {
    if (filter.takes(path)) yield { kind: 'extra', path, target: file };
  };
  for await (const alike of alikeIn(source, target)) {
    const left = new Map(alike.target.map((entry) => [entry.name, entry]));
    for (const [index, entry] of alike.source.entries()) {
      const { name } = entry;
      const path = `${folder.path}${name}`;
      const there = left.get(name);
      left.delete(name);
      const refused =
        folder.refused ??
        refusedName(name, platform) ??
        (index > 0 ? 'another file or folder beside it has a name that is the same on some systems' : undefined) ??
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
    // On a case-insensitive file system it may be the file of the source.
    if (isLocal && alike.source.length > 0) continue;
    for (const entry of left.values()) {
      const path = `${folder.path}${entry.name}`;
      if (entry.kind === 'folder') enter(path, { inSource: false, inTarget: true });
      else if (entry.kind === 'file') yield* extra(path, entry);
    }
  }
}

function conflict({ kind }: SideEntry, there: SideEntry | undefined): string | undefined {
  if (there === undefined || kind === 'left-out' || there.kind === kind) return undefined;
  if (there.kind === 'left-out') return 'what is in its place is a link or no regular file, and is not replaced';
  return kind === 'file' ? 'a folder is in its place' : 'a file is where its folder must be';
}
