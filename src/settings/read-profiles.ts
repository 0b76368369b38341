import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Failure, localFile } from '../core/failure.ts';
import { MAKE_IT_YOURS, whyForeign, type Ownership } from '../core/files/foreign-files.ts';
import { openRegular } from '../core/files/regular-file.ts';
import { errorCode } from '../core/files/file-errors.ts';

/** One profile as it is in the file: the text of each setting by name, the key included. */
export type ProfileValues = Readonly<Record<string, string>>;

/** The parsed profiles file. */
export interface ProfilesFile {
  /** The profile that is used when no flag or variable names one. */
  readonly current: string | undefined;
  readonly profiles: Readonly<Record<string, ProfileValues>>;
  /** The user's aliases: what each stands for. They belong to no profile. */
  readonly aliases: Readonly<Record<string, string>>;
  /** The whole document: unknown members are kept when the file is written. */
  readonly document: Readonly<Record<string, unknown>>;
}

const NONE: ProfilesFile = { current: undefined, profiles: {}, aliases: {}, document: {} };

/**
 * Reads the profiles file without the library that writes it, because most commands read it and loading the library
 * takes time. A missing file has no profiles. Fails with local-file (14) and names the file, but never quotes it,
 * because it contains keys; also when another user than `user` (see `whyForeign`) may have written it.
 */
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

/**
 * Checks the directory of a profiles file, which exists: whoever may change it can replace the file. Fails with local-file (14)
 * when another user than `user` may.
 */
export function refuseProfilesFolder(path: string, user: number | undefined): void {
  const folder = dirname(path);
  refuseForeign(`the directory ${folder} of the configuration`, statSync(folder), user);
}

function refuseForeign(subject: string, stats: Ownership, user: number | undefined): void {
  const why = whyForeign(stats, user);
  if (why !== undefined)
    throw localFile(`cannot use ${subject}: it ${why}`, `${MAKE_IT_YOURS} BERTH_CONFIG_DIR names the directory.`);
}

/** Parses and checks the text of a profiles file. Fails with local-file (14). */
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

/** The settings of a profile; undefined when the file has no such profile. */
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
