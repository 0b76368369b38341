import { isAbsolute, join, resolve, sep } from 'node:path';
import { usage } from '../core/failure.ts';

export interface DirectoryInput {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly home: string;
  /** See `Runtime`. No directory below it is used, unless a BERTH_* variable names it. */
  readonly foreignHome?: string | undefined;
  readonly cwd: string;
  /** Undefined on systems without user numbers. */
  readonly user?: number | undefined;
}

const PLACES = {
  config: { own: 'BERTH_CONFIG_DIR', xdg: 'XDG_CONFIG_HOME', windows: ['APPDATA', 'Roaming'], home: '.config' },
  data: { own: 'BERTH_DATA_DIR', xdg: 'XDG_DATA_HOME', windows: ['LOCALAPPDATA', 'Local'], home: '.local/share' },
} as const;

/** Fails with usage (2) when no variable names it and the home directory is unknown. */
export function directoryOf(kind: keyof typeof PLACES, input: DirectoryInput): string {
  const { env, platform, foreignHome } = input;
  const { own, xdg, windows, home } = PLACES[kind];
  const value = env[own];
  // An absolute path needs no working directory, which may have been removed.
  if (value !== undefined && value !== '') return isAbsolute(value) ? resolve(value) : resolve(input.cwd, value);
  const named = env[platform === 'win32' ? windows[0] : xdg];
  // The XDG specification says to ignore a relative path.
  if (named !== undefined && isAbsolute(named) && !isInside(named, foreignHome)) return join(named, 'berth');
  if (!isAbsolute(input.home))
    throw usage('there is no home directory to keep files in', 'Set HOME, or BERTH_CONFIG_DIR and BERTH_DATA_DIR.');
  if (platform === 'win32') return join(input.home, 'AppData', windows[1], 'berth');
  return join(input.home, platform === 'darwin' ? 'Library/Application Support' : home, 'berth');
}

const isInside = (path: string, folder: string | undefined): boolean =>
  folder !== undefined && `${resolve(path)}${sep}`.startsWith(`${resolve(folder)}${sep}`);
