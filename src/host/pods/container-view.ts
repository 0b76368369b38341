import { errorCode } from '../../core/files/file-errors.ts';
import { spawn } from 'node:child_process';
import { promises as fs } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import type { ContainerSpec } from '../../local/index.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { resolveLinks } from './resolve-links.ts';

/**
 * The files of a container as its clients see them: a command and SFTP find the same file at the same path. Where the system lets
 * this user make a view of the file system of their own (Linux, by `unshare`), paths are those of a pod: /root, /tmp, /workspace, and the
 * programs of this machine beside them. Elsewhere both see the paths of this machine, and SFTP only those of the container. Links lead
 * SFTP where they lead programs of the container.
 */
export interface ContainerView {
  /** The home folder of its user. */
  readonly home: string;
  readonly temporary: string;
  /** The words that start a program of it. */
  command(words: readonly string[]): readonly string[];
  /** The absolute path of a path as a client writes it; a relative one begins at the home folder. */
  absolute(path: string): string;
  /**
   * Where a file is on this machine, after the links that lead to it. With `follow`, the last one too. Rejects with EACCES for one that
   * SFTP does not give.
   */
  real(path: string, how: { readonly isWrite: boolean; readonly follow: boolean }): Promise<string>;
}

/** What a container gets of this machine is not replaced by what is mounted. */
const OF_MACHINE = new Set([
  'bin',
  'boot',
  'dev',
  'etc',
  'lib',
  'lib32',
  'lib64',
  'libx32',
  'proc',
  'run',
  'sbin',
  'sys',
  'usr',
]);

/** Mounts folders of this machine and those of a container, and starts a program with its folder as the root. */
const ENTER = `
folder=$1; shift
while [ "$1" != -- ]; do mount --rbind "/$1" "$folder/$1" || exit 126; shift; done; shift
while [ "$1" != -- ]; do mount --rbind "$2" "$folder/$1" || exit 126; shift 2; done; shift
exec unshare --root="$folder" --wd=/root -- "$@"
`;

/** Makes the folders of a container, and its view. `ownRoot` is what `findOwnRoot` has found. */
export async function openView(spec: ContainerSpec, ownRoot: readonly string[] | undefined): Promise<ContainerView> {
  const { folder, home } = spec;
  for (const each of [home, join(folder, 'tmp')]) await fs.mkdir(each, { recursive: true, mode: 0o700 });
  return ownRoot === undefined ? await viewOfMachine(spec) : await viewOfPod(spec, ownRoot);
}

async function viewOfPod({ folder, mounts }: ContainerSpec, ownRoot: readonly string[]): Promise<ContainerView> {
  const mounted = mounts
    .map(({ path, target }) => ({ path: posix.normalize(`/${path}`).replace(/\/+$/, ''), target }))
    .filter(({ path }) => !['', '/root', '/tmp'].includes(path) && !OF_MACHINE.has(path.split('/')[1] ?? ''));
  for (const { path } of mounted) await fs.mkdir(join(folder, path), { recursive: true, mode: 0o700 });
  const own = new Set(['root', 'tmp', ...mounted.map(({ path }) => path.split('/')[1] ?? '')]);
  const folders: string[] = [];
  for (const entry of await fs.readdir('/', { withFileTypes: true })) {
    if (own.has(entry.name)) continue;
    const at = join(folder, entry.name);
    if (entry.isDirectory()) {
      folders.push(entry.name);
      await fs.mkdir(at, { recursive: true });
    } else if (entry.isSymbolicLink()) await linkOnce(await fs.readlink(`/${entry.name}`), at);
  }
  const enter = [...ownRoot, 'sh', '-c', ENTER, 'sh', folder, ...folders, '--'];
  for (const { path, target } of mounted) enter.push(path.slice(1), target);
  const isOfMachine = (at: string): boolean => folders.includes(at.split('/')[1] ?? '');
  const realOf = (at: string): string => {
    const mount = mounted.find((each) => at === each.path || at.startsWith(`${each.path}/`));
    if (mount !== undefined) return join(mount.target, at.slice(mount.path.length));
    return isOfMachine(at) ? at : join(folder, at);
  };
  return {
    home: '/root',
    temporary: '/tmp',
    command: (words) => [...enter, '--', ...words],
    absolute: (path) => posix.resolve('/root', path),
    real: async (path, { isWrite, follow }) => {
      const at = await resolveLinks(inFolder('/root', path), follow, realOf);
      if (isWrite && isOfMachine(at)) throw denied();
      return realOf(at);
    },
  };
}

async function viewOfMachine({ folder, home, mounts }: ContainerSpec): Promise<ContainerView> {
  for (const { path, target } of mounts) await link(folder, path, target);
  const own = await Promise.all(
    [folder, ...mounts.map(({ target }) => target)].map((each) => fs.realpath(each).catch(() => each)),
  );
  return {
    home,
    temporary: join(folder, 'tmp'),
    command: (words) => words,
    absolute: (path) => posix.resolve(home, path),
    real: async (path, { follow }) => {
      const at = await resolveLinks(inFolder(home, path), follow, (each) => each);
      if (own.every((each) => relative(each, at).split(/[/\\]/)[0] === '..')) throw denied();
      return at;
    },
  };
}

/** A path as a client writes it, whose `..` are not taken away: they are of what a link before them leads to. */
const inFolder = (folder: string, path: string): string => (path.startsWith('/') ? path : `${folder}/${path}`);

/** Puts a link to a folder at a path of the container, which stays inside of its folder. */
async function link(folder: string, path: string, target: string): Promise<void> {
  const at = join(folder, posix.normalize(`/${path}`));
  if (at === folder || at === join(folder, 'root')) return;
  await fs.mkdir(dirname(at), { recursive: true, mode: 0o700 });
  await linkOnce(target, at);
}

/** Another process, or an earlier one, may have made the link. */
const linkOnce = (target: string, at: string): Promise<void> =>
  fs.symlink(target, at, 'junction').catch((error: unknown) => {
    if (errorCode(error) !== 'EEXIST') throw error;
  });

const denied = (): Error => Object.assign(new Error('it is not of the container'), { code: 'EACCES' });

/**
 * The words that start a program with a view of the file system of its own; undefined where the system has none for this user.
 * Root needs no other user; anyone else is root there, and themselves outside.
 */
export async function findOwnRoot({
  env,
  platform,
}: Pick<Runtime, 'env' | 'platform'>): Promise<readonly string[] | undefined> {
  if (platform !== 'linux') return undefined;
  for (const words of [
    ['unshare', '--mount', '--'],
    ['unshare', '--user', '--map-root-user', '--mount', '--'],
  ])
    if (await ends([...words, 'sh', '-c', TRIAL], env['PATH'])) return words;
  return undefined;
}

/** Fails where mounting, or another root, is not allowed. */
const TRIAL = 'mount --rbind /usr /mnt && unshare --root=/ --wd=/ -- true';

const ends = ([program = '', ...args]: readonly string[], path: string | undefined): Promise<boolean> =>
  new Promise((resolve) => {
    const child = spawn(program, args, { stdio: 'ignore', env: { PATH: path ?? '' } });
    child.once('error', () => {
      resolve(false);
    });
    child.once('exit', (code) => {
      resolve(code === 0);
    });
  });
