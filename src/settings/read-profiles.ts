import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { type Failure, localFile, usage } from '../core/failure.ts';
import { errorCode, MAKE_IT_YOURS, openRegular, type Ownership, whyForeign } from '../core/files.ts';
import { berth, sentence } from '../core/message.ts';
import { suggestName } from '../core/text.ts';

export type ProfileValues = Readonly<Record<string, string>>;

export interface ProfilesFile {
  readonly current: string | undefined;
  readonly profiles: Readonly<Record<string, ProfileValues>>;
  readonly aliases: Readonly<Record<string, string>>;
  /** The whole document: unknown members are kept when the file is written. */
  readonly document: Readonly<Record<string, unknown>>;
}

const NONE: ProfilesFile = { current: undefined, profiles: {}, aliases: {}, document: {} };

/** Without the slow library that writes it. Fails with local-file (14); never quotes the file: it has keys. */
export function readProfiles(path: string, user?: number): ProfilesFile {
  let text: string;
  try {
    const descriptor = openRegular({ openSync, fstatSync, closeSync, lstatSync, constants }, path, {
      flags: constants.O_RDONLY,
      links: 'followed',
      refuse: (why) => broken(path, why),
    });
    try {
      refuseForeign(`the configuration ${path}`, fstatSync(descriptor), user);
      refuseProfilesFolder(path, user);
      text = readFileSync(descriptor, 'utf8');
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') return NONE;
    if (code === undefined || code === 'local-file') throw error;
    throw localFile(`cannot read the configuration ${path}: ${reasons[code] ?? code}`, hint(path));
  }
  return parseProfiles(text, path);
}

/** Whoever may change the directory can replace the file. Fails with local-file (14). */
export function refuseProfilesFolder(path: string, user: number | undefined): void {
  const folder = dirname(path);
  refuseForeign(`the directory ${folder} of the configuration`, statSync(folder), user);
}

function refuseForeign(subject: string, stats: Ownership, user: number | undefined): void {
  const why = whyForeign(stats, user);
  if (why !== undefined)
    throw localFile(`cannot use ${subject}: it ${why}`, `${MAKE_IT_YOURS} BERTH_CONFIG_DIR names the directory.`);
}

function parseProfiles(text: string, path: string): ProfilesFile {
  if (text.trim() === '') throw broken(path, 'it is empty');
  if (text.startsWith('\uFEFF')) throw broken(path, 'it begins with a byte order mark');
  const document = parseJson(text, path);
  if (!isRecord(document)) throw broken(path, 'it is not a JSON object');
  const { current, profiles = {}, aliases = {} } = document;
  if (current !== undefined && typeof current !== 'string') throw broken(path, '"current" is not a string');
  if (!isRecord(profiles)) throw broken(path, '"profiles" is not an object');
  requireTexts(profiles, path);
  if (!isTexts(aliases)) throw broken(path, '"aliases" is not an object of strings');
  return { current, profiles, aliases, document };
}

function requireTexts(
  profiles: Readonly<Record<string, unknown>>,
  path: string,
): asserts profiles is Readonly<Record<string, ProfileValues>> {
  for (const [name, values] of Object.entries(profiles)) {
    if (!isRecord(values)) throw broken(path, `profile ${JSON.stringify(name)} is not an object`);
    for (const [member, value] of Object.entries(values))
      if (typeof value !== 'string') throw broken(path, `"${member}" of profile "${name}" is not a string`);
  }
}

const isTexts = (value: unknown): value is Readonly<Record<string, string>> =>
  isRecord(value) && Object.values(value).every((text) => typeof text === 'string');

export const profileOf = (file: ProfilesFile, name: string): ProfileValues | undefined =>
  Object.hasOwn(file.profiles, name) ? file.profiles[name] : undefined;

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOTDIR: 'a part of its path is a file',
  ELOOP: 'its symbolic links go in a circle',
};

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The parser's message quotes the text, which may contain a key, so only the position is reported.
    const found = /position (\d+)/.exec(error instanceof Error ? error.message : '');
    const before = text.slice(0, found ? Number(found[1]) : text.length).split('\n');
    const column = (before.at(-1)?.length ?? 0) + 1;
    throw broken(path, `it is not JSON (line ${before.length}, column ${column})`);
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const hint = (path: string): string =>
  `Mend or remove ${path}; meanwhile BERTH_API_KEY with the BERTH_*_URL variables, or --local, work without it.`;

const broken = (path: string, why: string): Failure =>
  localFile(`cannot use the configuration ${path}: ${why}`, hint(path));

/** A usage failure (2). */
export function noProfile(name: string, known: readonly string[], path: string): Failure {
  const suggestion = suggestName(name, known);
  const all = known.length === 0 ? 'There are none' : `There are: ${known.join(', ')}`;
  return usage(
    `there is no profile ${JSON.stringify(name)} in ${path}`,
    sentence`${suggestion === undefined ? '' : `${suggestion} `}${all}. Make it with: ${berth`auth login --profile ${name}`}`,
  );
}

export interface DirectoryInput {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  /** Empty when there is none. */
  readonly home: string;
  /** See `Runtime`. No directory below it is used, unless a BERTH_* variable names it. */
  readonly foreignHome?: string | undefined;
  readonly cwd: string;
}

/** Fails with usage (2) when it is not set and the home directory is unknown. */
export const configDirectory = (input: DirectoryInput): string =>
  fromVariable(input, 'BERTH_CONFIG_DIR') ??
  join(parentDirectory(input, 'XDG_CONFIG_HOME', 'APPDATA', ROAMING, '.config'), 'berth');

/** Fails with usage (2) when it is not set and the home directory is unknown. */
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
