import { isAbsolute, join, resolve, sep } from 'node:path';
import { usage } from '../core/failure.ts';

/** What the paths of directories depend on. */
export interface DirectoryInput {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  /** The user's home directory; empty when there is none. */
  readonly home: string;
  /** See `Runtime`. No directory below it is used, unless a BERTH_* variable names it. */
  readonly foreignHome?: string | undefined;
  readonly cwd: string;
}

/** The directory of the profiles file. Fails with usage (2) when it is not set and there is no home directory. */
export const configDirectory = (input: DirectoryInput): string =>
  fromVariable(input, 'BERTH_CONFIG_DIR') ??
  join(parentDirectory(input, 'XDG_CONFIG_HOME', 'APPDATA', ROAMING, '.config'), 'berth');

/**
 * The directory of the local service's state and of the remembered limits. Fails with usage (2) when it is not set and
 * there is no home directory.
 */
export const dataDirectory = (input: DirectoryInput): string =>
  fromVariable(input, 'BERTH_DATA_DIR') ??
  join(parentDirectory(input, 'XDG_DATA_HOME', 'LOCALAPPDATA', LOCAL, join('.local', 'share')), 'berth');

const ROAMING = join('AppData', 'Roaming');
const LOCAL = join('AppData', 'Local');

function fromVariable(input: DirectoryInput, variable: string): string | undefined {
  const value = input.env[variable];
  if (value === undefined || value === '') return undefined;
  // An absolute path needs no working directory, which may have been removed.
  return isAbsolute(value) ? resolve(value) : resolve(input.cwd, value);
}

function parentDirectory(
  input: DirectoryInput,
  xdg: string,
  windows: string,
  underWindows: string,
  underHome: string,
): string {
  const { env, platform } = input;
  const named = platform === 'win32' ? env[windows] : env[xdg];
  // The XDG specification says to ignore a relative path.
  if (named !== undefined && isAbsolute(named) && !isInside(named, input.foreignHome)) return named;
  if (!isAbsolute(input.home))
    throw usage('there is no home directory to keep files in', 'Set HOME, or BERTH_CONFIG_DIR and BERTH_DATA_DIR.');
  if (platform === 'win32') return join(input.home, underWindows);
  if (platform === 'darwin') return join(input.home, 'Library', 'Application Support');
  return join(input.home, underHome);
}

const isInside = (path: string, folder: string | undefined): boolean =>
  folder !== undefined && `${resolve(path)}${sep}`.startsWith(`${resolve(folder)}${sep}`);
