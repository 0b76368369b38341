import { closeSync, constants, fstatSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure, localFile, usage } from '../core/failure.ts';
import { errorCode, errorReason } from '../core/files.ts';
import { openRegular, whyForeign } from '../core/regular-files.ts';
import { isObject } from '../core/json.ts';
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
  const hint = `Mend or remove ${path}; meanwhile BERTH_API_KEY with the BERTH_*_URL variables, or --local, work without it.`;
  const broken = (why: string): Failure => localFile(`cannot use the configuration ${path}: ${why}`, hint);
  let text: string;
  try {
    const descriptor = openRegular(path, { flags: constants.O_RDONLY, links: 'followed', refuse: broken });
    try {
      refuseForeign(`the configuration ${path}`, fstatSync(descriptor), user);
      refuseProfilesFolder(path, user);
      text = readFileSync(descriptor, 'utf8');
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return NONE;
    if (error instanceof Failure) throw error;
    throw localFile(`cannot read the configuration ${path}: ${errorReason(error)}`, hint);
  }
  const file = profilesIn(text);
  if (file === undefined) throw broken('it must be JSON: {"current": TEXT, "profiles": {NAME: {SETTING: TEXT}}}');
  return file;
}

/** Whoever may change the directory can replace the file. Fails with local-file (14). */
export function refuseProfilesFolder(path: string, user: number | undefined): void {
  const folder = dirname(path);
  refuseForeign(`the directory ${folder} of the configuration`, statSync(folder), user);
}

function refuseForeign(subject: string, stats: Parameters<typeof whyForeign>[0], user: number | undefined): void {
  const why = whyForeign(stats, user);
  if (why !== undefined)
    throw localFile(
      `cannot use ${subject}: it ${why}`,
      'Make it yours (chown) and writable for you alone (chmod go-w), or use another one. BERTH_CONFIG_DIR names the directory.',
    );
}

/** Undefined for what is not such a file. The parser's message quotes the text, which may contain a key. */
function profilesIn(text: string): ProfilesFile | undefined {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(document)) return undefined;
  const { current, profiles = {}, aliases = {} } = document;
  const isCurrent = current === undefined || typeof current === 'string';
  return isCurrent && isTexts(aliases) && areTexts(profiles) ? { current, profiles, aliases, document } : undefined;
}

const isTexts = (value: unknown): value is ProfileValues =>
  isObject(value) && Object.values(value).every((text) => typeof text === 'string');

const areTexts = (profiles: unknown): profiles is Record<string, ProfileValues> =>
  isObject(profiles) && Object.values(profiles).every(isTexts);

export const profileOf = ({ profiles }: ProfilesFile, name: string): ProfileValues | undefined =>
  Object.hasOwn(profiles, name) ? profiles[name] : undefined;

export function noProfile(name: string, known: readonly string[], path: string): Failure {
  const suggestion = suggestName(name, known);
  const all = known.length === 0 ? 'There are none' : `There are: ${known.join(', ')}`;
  return usage(
    `there is no profile ${JSON.stringify(name)} in ${path}`,
    sentence`${suggestion === undefined ? '' : `${suggestion} `}${all}. Make it with: ${berth`auth login --profile ${name}`}`,
  );
}

/** What is slow to read, such as the home directory, is read when it is needed. */
