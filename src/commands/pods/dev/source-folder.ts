import type { RangeFiles } from '../../../core/context.ts';
import { collectBytes } from '../../../core/files/byte-streams.ts';
import { NO_ITEMS } from '../../../core/files/external-sort.ts';
import { localFile } from '../../../core/failure.ts';
import { belowFolder } from '../../shared/paths/slashes.ts';
import { compareFolders } from '../../files/sync/compare-folders.ts';
import { createFilter, type Filter } from '../../files/copy/filter.ts';
import { localSide } from '../../files/copy/local-side.ts';
import type { Side } from '../../files/copy/sides.ts';
import type { PutSource } from '../reach/files/put-whole.ts';
import { MANIFEST_NAME } from './manifest.ts';
import type { Bytes } from '../../../core/unit-types.ts';

/** A file of the folder that is sent. */
export interface SourceFile extends PutSource {
  /** Its SHA-256 in hexadecimal. */
  readonly digest: () => Promise<string>;
}

/** The files that are sent, as they are at one time. */
export interface Scan {
  readonly files: ReadonlyMap<string, SourceFile>;
  /** What is not sent, each with the reason. */
  readonly leftOut: readonly string[];
  /** False where a part could not be read: then it is not known what is missing. */
  readonly isWhole: boolean;
}

export interface SourceFolder {
  readonly root: string;
  /** Reads which files there are. Fails with local-file (14) where the folder is not there any more. */
  scan(): Promise<Scan>;
  /** Whether nothing in a folder is ever sent, by the rules that hold for the whole: such folders are not watched. */
  isIgnored(path: string): boolean;
}

/** Names of files with rules, as git has them. */
const IGNORE_FILE = '.gitignore';

/** What is never sent: what git keeps for itself, and what berth keeps in the pod. */
const NEVER = ['.git', `/${MANIFEST_NAME}`];

/** Opens a folder. Fails with local-file (14) where there is none. */
export async function openSourceFolder(
  files: RangeFiles,
  folder: string,
  exclude: readonly string[],
): Promise<SourceFolder> {
  const root = files.absolute(folder);
  await mustBeThere(files, root);
  const side = localSide(files, root, { followLinks: false, mayMiss: false });
  /** Digests by path and version. */
  let known = new Map<string, { readonly version: string; readonly digest: Promise<string> }>();
  let isIgnored: Filter | undefined;
  const scan = async (): Promise<Scan> => {
    await mustBeThere(files, root);
    const filter = await filterOf(files, root, exclude);
    isIgnored = filter;
    const found = new Map<string, SourceFile>();
    const leftOut: string[] = [];
    let isWhole = true;
    const options = { filter, ignoreFiles: [IGNORE_FILE], platform: 'linux' };
    for await (const each of compareFolders(side, NOTHING, options)) {
      if (each.kind === 'unreadable') {
        isWhole = false;
        leftOut.push(each.failure.message);
      } else if (each.kind === 'left-out') leftOut.push(`${each.path} is not sent: ${each.why}`);
      else if (each.kind === 'file' && each.refused !== undefined)
        leftOut.push(`${each.path} is not sent: ${each.refused}`);
      else if (each.kind === 'file') {
        const { bytes, version } = each.source.from.file;
        const { modifiedAt, executable } = each.source;
        const path = belowFolder(root, each.path);
        const before = known.get(each.path);
        const isSame = before?.version === version;
        let digest = isSame ? before.digest : undefined;
        const lazily = (): Promise<string> => {
          digest ??= files.digests(path, 0, bytes, ['sha256']).then(([value]) => value?.toString('hex') ?? '');
          // A failure is not kept: the file may have changed just then.
          digest.catch(() => known.delete(each.path));
          known.set(each.path, { version, digest });
          return digest;
        };
        found.set(each.path, {
          ...{ bytes, version, modifiedAt, mode: executable === true ? 0o755 : 0o644, digest: lazily },
          read: (start, end) => rangeOf(files, path, start, end),
          check: async () => {
            if ((await files.lookAt(path))?.version !== version) throw changed(path);
          },
        });
      }
    }
    // It may have gone while it was read.
    await mustBeThere(files, root);
    known = new Map([...known].filter(([path]) => found.has(path)));
    return { files: found, leftOut, isWhole };
  };
  return { root, scan, isIgnored: (path) => isIgnored?.enters(path) === false };
}

/** The failure (14) of a file that changed while it was sent. */
const changed = (path: string) => localFile(`${path} changed while it was sent`);

async function mustBeThere(files: RangeFiles, root: string): Promise<void> {
  const found = await files.lookAt(root, true);
  if (found?.kind === 'folder') return;
  throw localFile(
    found === undefined ? `the folder ${root} is not there` : `${root} is a file, and no folder`,
    'Nothing was removed in the pod.',
  );
}

async function* rangeOf(files: RangeFiles, path: string, start: number, end: number): AsyncGenerator<Uint8Array> {
  let left = end - start;
  if (left <= 0) return;
  for await (const chunk of files.read(path, start)) {
    yield chunk.subarray(0, left);
    left -= chunk.byteLength;
    if (left <= 0) return;
  }
  throw changed(path);
}

/** The other side of the walk: a folder without anything in it. */
const NOTHING: Side = {
  kind: 'volume',
  list: () => Promise.resolve(NO_ITEMS),
  readText: () => Promise.resolve(''),
  look: () => Promise.resolve(undefined),
  remove: () => Promise.resolve(),
  removeEmptyFolder: () => Promise.resolve(),
  end: (path) => ({ kind: 'local', path }),
  shown: (path) => path,
};

/** Folders above one that may be of the same repository. */
const MAX_ABOVE = 64;

/** What `--exclude` takes and what git takes: its rules begin at the top of the repository that the folder is in. */
async function filterOf(files: RangeFiles, root: string, exclude: readonly string[]): Promise<Filter> {
  const own = await createFilter({ exclude: [...NEVER, ...exclude], include: [], only: undefined });
  const above: string[] = [];
  // An absolute path of another system begins with a slash, and a backslash is a character of a name there.
  const isOfWindows = !root.startsWith('/');
  let top = root;
  let isFound = await isThere(files, `${top}/.git`);
  while (!isFound && above.length < MAX_ABOVE) {
    const slash = isOfWindows ? Math.max(top.lastIndexOf('/'), top.lastIndexOf('\\')) : top.lastIndexOf('/');
    if (slash < 0 || top === '/') break;
    above.unshift(top.slice(slash + 1));
    top = slash === 0 ? '/' : top.slice(0, slash);
    isFound = await isThere(files, `${top === '/' ? '' : top}/.git`);
  }
  let rules = await createFilter({ exclude: [], include: [], only: undefined });
  if (!isFound) return both(own, rules, '');
  rules = rules.below('', await textsOf(files, `${top}/.git/info/exclude`));
  let prefix = '';
  for (const name of above) {
    rules = rules.below(prefix, await textsOf(files, `${top}/${prefix}${IGNORE_FILE}`));
    prefix += `${name}/`;
  }
  return both(own, rules, prefix);
}

/** Both must take a file. `prefix` is what the paths of git have before those of the folder. */
const both = (own: Filter, git: Filter, prefix: string): Filter => ({
  takes: (path) => own.takes(path) && git.takes(`${prefix}${path}`),
  enters: (folder) => own.enters(folder) && git.enters(`${prefix}${folder}`),
  below: (folder, texts) => both(own, git.below(`${prefix}${folder}`, texts), prefix),
});

const isThere = async (files: RangeFiles, path: string): Promise<boolean> => (await files.lookAt(path)) !== undefined;

/** Limit for a file with rules. */
const MAX_RULES: Bytes = 1_048_576;

async function textsOf(files: RangeFiles, path: string): Promise<readonly string[]> {
  if ((await files.lookAt(path, true))?.kind !== 'file') return [];
  const bytes = await collectBytes(files.read(path, 0), MAX_RULES);
  if (bytes === undefined) throw localFile(`${path} is too large for a file with rules`);
  return [bytes.toString()];
}
