import {
  existsSync,
  fstatSync,
  type FSWatcher,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  type Stats,
  watch,
} from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { errorReason } from '../../core/files.ts';
import { safeText } from '../../core/safe-text.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import type { EndpointSource, LocalService } from '../../local/index.ts';
import type { Sources } from './endpoint-sources.ts';

/** Beside the handlers, or in the directory of the command; but not `ownFiles`, also as prefixes. Returns its end. */
export function watchSources(
  stderr: { write(text: string): unknown },
  sources: Sources,
  ownFiles: readonly string[],
  service: LocalService,
): () => void {
  const byFolder = new Map<string, string[]>();
  for (const [name, source] of Object.entries(sources)) {
    if (source.kind === 'attach') continue;
    const folder = folderOf(source);
    byFolder.set(folder, [...(byFolder.get(folder) ?? []), name]);
  }
  // They may be redirected to files, which change with everything that is printed.
  const outputs = [1, 2].map((descriptor) => fstatSync(descriptor));
  const isOwn = (path: string, stats: Stats | undefined): boolean =>
    ownFiles.some((each) => path.startsWith(each)) ||
    outputs.some(({ dev, ino }) => dev === stats?.dev && ino === stats.ino);
  const ends = [...byFolder].map(([folder, endpoints]) =>
    watchFiles(folder, {
      isOwn,
      onChange: (file) => {
        for (const endpoint of endpoints)
          stderr.write(
            `[${safeText(endpoint)}] ${safeText(file)} has changed: the workers are replaced, each after the jobs that it has.\n`,
          );
        // The next request fails with the same file error, and its caller is told.
        void service.reload(endpoints).catch(() => undefined);
      },
      onUnwatched: (reason) => {
        stderr.write(
          `Not every file in ${safeText(folder)} is watched: ${safeText(reason)}. Lines in .gitignore exclude what does not matter, or put the handler into a directory of its own.\n`,
        );
      },
    }),
  );
  return () => {
    for (const end of ends) end();
  };
}

function folderOf(source: Exclude<EndpointSource, { readonly kind: 'attach' }>): string {
  if (source.kind === 'module') return dirname(realpathSync(source.path));
  const file = typeof source.command === 'string' ? undefined : source.command.at(-1);
  return file === undefined ? realpathSync(source.cwd) : dirname(realpathSync(file));
}

/** Folders never watched, and files that programs write while they run. */
const NEVER_WATCHED = /^(\.git|\.hg|\.svn|node_modules|__pycache__|\.pytest_cache|\.mypy_cache)$/;
const WRITTEN_BY_PROGRAMS = /\.(jsonl|ndjson)(\..*)?$|\.(log|tmp|pyc)$/i;

/** A project of source files, not a home directory or a complete disk. */
const MAX_FOLDERS = 1000;

/** Editors write a file in several steps: together they are one change. */
const SETTLE_MS: Milliseconds = 100;

type Rules = readonly { readonly folder: string; readonly ignore: Ignore }[];

interface WatchOptions {
  readonly isOwn: (path: string, stats: Stats | undefined) => boolean;
  /** `file` is relative to the folder. */
  readonly onChange: (file: string) => void;
  /** Once where not everything is watched. */
  readonly onUnwatched: (reason: string) => void;
}

/** All files but links, what .gitignore names, virtual environments and what programs write. Returns its end. */
export function watchFiles(top: string, { isOwn, onChange, onUnwatched }: WatchOptions): () => void {
  const watchers = new Map<string, FSWatcher>();
  let settling: NodeJS.Timeout | undefined;
  let isTold = false;
  const unwatched = (reason: string): void => {
    if (!isTold) onUnwatched(reason);
    isTold = true;
  };
  const changed = (path: string): void => {
    settling ??= setTimeout(() => {
      settling = undefined;
      onChange(relative(top, path));
    }, SETTLE_MS);
  };
  const look = (path: string, rules: Rules, isNew: boolean): void => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (isIgnored(path, stats, rules) || isOwn(path, stats)) return;
    if (stats?.isDirectory() === true) watchFolder(path, rules, isNew);
    else if (isNew) changed(path);
  };
  const watchFolder = (folder: string, above: Rules, isNew: boolean): void => {
    if (watchers.size >= MAX_FOLDERS) {
      unwatched(`it has more than ${String(MAX_FOLDERS)} folders`);
      return;
    }
    watchers.get(folder)?.close();
    const rules = [...above, ...rulesIn(folder)];
    try {
      const watcher = watch(folder, (_, name) => {
        if (name !== null) look(join(folder, name), rules, true);
      });
      watcher.on('error', (error) => {
        unwatched(errorReason(error));
      });
      watchers.set(folder, watcher);
      for (const name of readdirSync(folder)) look(join(folder, name), rules, isNew);
    } catch (error) {
      // For example too many watched files on this machine: the others are still watched.
      unwatched(errorReason(error));
    }
  };
  watchFolder(top, rulesAbove(top), false);
  return () => {
    clearTimeout(settling);
    for (const watcher of watchers.values()) watcher.close();
  };
}

function isIgnored(path: string, stats: Stats | undefined, rules: Rules): boolean {
  const isFolder = stats?.isDirectory() === true;
  const name = path.slice(path.lastIndexOf(sep) + 1);
  if (stats?.isSymbolicLink() === true || NEVER_WATCHED.test(name)) return true;
  if (isFolder ? existsSync(join(path, 'pyvenv.cfg')) : WRITTEN_BY_PROGRAMS.test(name)) return true;
  return rules.some((each) => {
    const below = relative(each.folder, path).split(sep).join('/');
    return each.ignore.ignores(isFolder ? `${below}/` : below);
  });
}

function rulesIn(folder: string): Rules {
  const file = join(folder, '.gitignore');
  return existsSync(file) ? [{ folder, ignore: ignore().add(readFileSync(file, 'utf8')) }] : [];
}

/** Of the folders above it, up to that of its repository. */
function rulesAbove(folder: string): Rules {
  if (existsSync(join(folder, '.git')) || dirname(folder) === folder) return [];
  return [...rulesAbove(dirname(folder)), ...rulesIn(dirname(folder))];
}
