import { isAbsolute, join, resolve } from 'node:path';
import { usage } from '../core/failure.ts';

/** What the places of files depend on. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  /** The user's own directory; empty where there is none. */
  readonly home: string;
  readonly cwd: string;
}

/** Where the profiles lie. Fails with usage (2) where nothing names a place. */
export const configDirectory = (around: Surroundings): string =>
  chosen(around, 'BERTH_CONFIG_DIR') ?? join(parent(around, 'XDG_CONFIG_HOME', 'APPDATA', ROAMING, '.config'), 'berth');

/** Where the local service's state and the remembered limits lie. Fails with usage (2) where nothing names a place. */
export const dataDirectory = (around: Surroundings): string =>
  chosen(around, 'BERTH_DATA_DIR') ??
  join(parent(around, 'XDG_DATA_HOME', 'LOCALAPPDATA', LOCAL, join('.local', 'share')), 'berth');

const ROAMING = join('AppData', 'Roaming');
const LOCAL = join('AppData', 'Local');

function chosen(around: Surroundings, variable: string): string | undefined {
  const value = around.env[variable];
  if (value === undefined || value === '') return undefined;
  // A directory that was removed is no trouble to who does not need it.
  return isAbsolute(value) ? resolve(value) : resolve(around.cwd, value);
}

function parent(around: Surroundings, xdg: string, windows: string, underWindows: string, underHome: string): string {
  const { env, platform } = around;
  const named = platform === 'win32' ? env[windows] : env[xdg];
  // The XDG rules tell readers to ignore a relative path.
  if (named !== undefined && isAbsolute(named)) return named;
  if (!isAbsolute(around.home))
    throw usage('there is no home directory to keep files in', 'Set HOME, or BERTH_CONFIG_DIR and BERTH_DATA_DIR.');
  if (platform === 'win32') return join(around.home, underWindows);
  if (platform === 'darwin') return join(around.home, 'Library', 'Application Support');
  return join(around.home, underHome);
}
