import { execFile } from 'node:child_process';
import { promises as fs } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { promisify } from 'node:util';
import { errorCode } from '../../core/files.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { ContainerSpec } from '../../local/index.ts';

/** As on Linux. */
const MAX_LINKS = 40;

/** Absolute links begin at the container's root. Missing parts are kept as written. Rejects with ELOOP. */
async function resolveLinks(path: string, follow: boolean, realOf: (path: string) => string): Promise<string> {
  let at = '/';
  let rest = path.split('/');
  let links = 0;
  while (rest.length > 0) {
    const [name = '', ...others] = rest;
    rest = others;
    if (name === '' || name === '.') continue;
    if (name === '..') {
      at = posix.dirname(at);
      continue;
    }
    const next = posix.join(at, name);
    const isLast = others.every((other) => other === '');
    const target = isLast && !follow ? undefined : await fs.readlink(realOf(next)).catch(() => undefined);
    if (target === undefined) {
      at = next;
      continue;
    }
    links += 1;
    if (links > MAX_LINKS) throw Object.assign(new Error('too many links'), { code: 'ELOOP' });
    if (target.startsWith('/')) at = '/';
    rest = [...target.split('/'), ...others];
  }
  return at;
}

/** A command and SFTP see the same paths. With `unshare` (Linux) those of a pod, else this machine's. */
export interface ContainerView {
  readonly home: string;
  readonly temporary: string;
  command(words: readonly string[]): readonly string[];
  /** A relative path begins at the home folder. */
  absolute(path: string): string;
  /** On this machine, links followed; with `follow` the last one too. EACCES if SFTP must not give it. */
  real(path: string, how: { readonly isWrite: boolean; readonly follow: boolean }): Promise<string>;
}

/** Parts of this machine that mounts do not replace. */
const OF_MACHINE = new Set('bin boot dev etc lib lib32 lib64 libx32 proc run sbin sys usr'.split(' '));

const ENTER = `
folder=$1; shift
while [ "$1" != -- ]; do mount --rbind "/$1" "$folder/$1" || exit 126; shift; done; shift
while [ "$1" != -- ]; do mount --rbind "$2" "$folder/$1" || exit 126; shift 2; done; shift
exec unshare --root="$folder" --wd=/root -- "$@"
`;

export async function openView(spec: ContainerSpec, ownRoot: readonly string[] | undefined): Promise<ContainerView> {
  const { folder } = spec;
  for (const each of [spec.home, join(folder, 'tmp')]) await fs.mkdir(each, { recursive: true, mode: 0o700 });
  const place = await (ownRoot === undefined ? placeOnMachine(spec) : placeInPod(spec, ownRoot));
  const { home, temporary, enter, realOf, isOpen } = place;
  return {
    home,
    temporary,
    command: (words) => [...enter, ...words],
    absolute: (path) => posix.resolve(home, path),
    real: async (path, { isWrite, follow }) => {
      // Not resolved: `..` belongs to the target of a link before it.
      const at = await resolveLinks(path.startsWith('/') ? path : `${home}/${path}`, follow, realOf);
      if (!isOpen(at, isWrite)) throw Object.assign(new Error('it is not of the container'), { code: 'EACCES' });
      return realOf(at);
    },
  };
}

interface Place extends Pick<ContainerView, 'home' | 'temporary'> {
  /** The words before a command. */
  readonly enter: readonly string[];
  /** Where a path of the container is on this machine. */
  readonly realOf: (at: string) => string;
  readonly isOpen: (at: string, isWrite: boolean) => boolean;
}

async function placeInPod({ folder, mounts }: ContainerSpec, ownRoot: readonly string[]): Promise<Place> {
  const topOf = (at: string): string => at.split('/')[1] ?? '';
  const mounted = mounts
    .map(({ path, target }) => ({ path: posix.normalize(`/${path}`).replace(/\/+$/, ''), target }))
    .filter(({ path }) => !['', '/root', '/tmp'].includes(path) && !OF_MACHINE.has(topOf(path)));
  for (const { path } of mounted) await fs.mkdir(join(folder, path), { recursive: true, mode: 0o700 });
  const own = new Set(['root', 'tmp', ...mounted.map(({ path }) => topOf(path))]);
  const shared: string[] = [];
  for (const entry of await fs.readdir('/', { withFileTypes: true })) {
    if (own.has(entry.name)) continue;
    const at = join(folder, entry.name);
    if (entry.isSymbolicLink()) await linkOnce(await fs.readlink(`/${entry.name}`), at);
    if (!entry.isDirectory()) continue;
    shared.push(entry.name);
    await fs.mkdir(at, { recursive: true });
  }
  const enter = [...ownRoot, 'sh', '-c', ENTER, 'sh', folder, ...shared, '--'];
  for (const { path, target } of mounted) enter.push(path.slice(1), target);
  const isShared = (at: string): boolean => shared.includes(topOf(at));
  return {
    home: '/root',
    temporary: '/tmp',
    enter: [...enter, '--'],
    realOf: (at) => {
      const mount = mounted.find(({ path }) => at === path || at.startsWith(`${path}/`));
      if (mount !== undefined) return join(mount.target, at.slice(mount.path.length));
      return isShared(at) ? at : join(folder, at);
    },
    isOpen: (at, isWrite) => !isWrite || !isShared(at),
  };
}

async function placeOnMachine({ folder, home, mounts }: ContainerSpec): Promise<Place> {
  for (const { path, target } of mounts) {
    // The link stays inside the container's folder.
    const at = join(folder, posix.normalize(`/${path}`));
    if (at === folder || at === join(folder, 'root')) continue;
    await fs.mkdir(dirname(at), { recursive: true, mode: 0o700 });
    await linkOnce(target, at);
  }
  const own = await Promise.all(
    [folder, ...mounts.map(({ target }) => target)].map((each) => fs.realpath(each).catch(() => each)),
  );
  return {
    home,
    temporary: join(folder, 'tmp'),
    enter: [],
    realOf: (at) => at,
    isOpen: (at) => own.some((each) => relative(each, at).split(/[/\\]/)[0] !== '..'),
  };
}

/** Another process, or an earlier one, may have made the link. */
const linkOnce = (target: string, at: string): Promise<void> =>
  fs.symlink(target, at, 'junction').catch((error: unknown) => {
    if (errorCode(error) !== 'EEXIST') throw error;
  });

/** Undefined if the system has none for this user. A user is root inside and themselves outside. */
export async function findOwnRoot({
  env,
  platform,
}: Pick<Runtime, 'env' | 'platform'>): Promise<readonly string[] | undefined> {
  if (platform !== 'linux') return undefined;
  for (const words of [
    ['unshare', '--mount', '--'],
    ['unshare', '--user', '--map-root-user', '--mount', '--'],
  ])
    try {
      await promisify(execFile)('env', [...words, 'sh', '-c', TRIAL], { env: { PATH: env['PATH'] } });
      return words;
    } catch {
      // The next one needs less.
    }
  return undefined;
}

/** Fails if mounting, or another root, is not allowed. */
const TRIAL = 'mount --rbind /usr /mnt && unshare --root=/ --wd=/ -- true';

/** Set for all programs of a container, also those that left their process group. */
export const CONTAINER_VARIABLE = 'BERTH_CONTAINER';

/** A process may start another while it is killed. */
const MAX_ROUNDS = 20;

/** Found in /proc; without it, processes that left their process group survive. */
export async function endContainerProcesses(value: string): Promise<void> {
  const sought = `${CONTAINER_VARIABLE}=${value}`;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const ids = (await fs.readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
    const found = await Promise.all(ids.map((id) => hasVariable(id, sought)));
    const own = ids.filter((_, at) => found[at]);
    if (own.length === 0) return;
    for (const id of own)
      try {
        process.kill(Number(id), 'SIGKILL');
      } catch {
        // It has ended.
      }
  }
}

/** False for an ended process, a zombie, and one of another user. */
async function hasVariable(id: string, sought: string): Promise<boolean> {
  const environment = await fs.readFile(`/proc/${id}/environ`, 'latin1').catch(() => '');
  return environment.split('\0').includes(sought);
}
