import { berth, sentence } from '../core/message.ts';
import { existsSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, parse } from 'node:path';
import { parseKeyAddress } from '../core/addresses.ts';
import type { Profile, ProfileStore } from '../core/context.ts';
import { Failure, localFile, usage } from '../core/failure.ts';
import { errorReason, type FileLocks } from '../core/files.ts';
import { makeDirectory } from '../core/regular-files.ts';
import { checkProfileName, checkSetting } from './resolve.ts';
import { cleanKey, cleanStorageKey, keyTail, STORAGE_MEMBERS } from './keys.ts';
import {
  noProfile,
  profileOf,
  type ProfilesFile,
  type ProfileValues,
  readProfiles,
  refuseProfilesFolder,
} from './read-profiles.ts';
import { DEFAULT_PROFILE, LOCAL_PROFILE, SETTINGS, findSetting, type Setting } from './settings-table.ts';
import type { Milliseconds } from '../core/unit-types.ts';

type Change = Partial<Pick<ProfilesFile, 'current' | 'profiles' | 'aliases'>>;

/** Changed under a lock, mode 0600, unknown members kept. A broken or untrusted file fails (14), unchanged. */
export function createProfiles(path: string, locks: FileLocks, user?: number): ProfileStore {
  const read = (): ProfilesFile => readProfiles(path, user);
  const change = (step: (file: ProfilesFile) => Change): Promise<void> => changeFile({ path, locks, user }, step);
  const setMembers = async (profile: string, members: Members, others: Change = {}): Promise<void> => {
    refuseLocalProfile(profile);
    await change((file) => ({
      ...others,
      profiles: { ...file.profiles, [profile]: withMembers(profileOf(file, profile) ?? {}, members) },
    }));
  };

  return {
    list: async () => shown(read()),
    set: async (profile, name, value) => {
      const setting = storable(name);
      await setMembers(profile, { [name]: value === undefined ? undefined : checkStored(setting, value) });
    },
    aliases: async () => read().aliases,
    setAlias: (name, text) => change(({ aliases }) => ({ aliases: withMembers(aliases, { [name]: text }) })),
    logIn: async (profile, values, key) => {
      const kept = Object.entries(values).map(([name, value]) => [name, checkStored(storable(name), value)] as const);
      const login = { ...Object.fromEntries(kept), 'api-key': cleanKey(key, 'the key in the input') };
      await setMembers(profile, login, { current: profile });
    },
    setKey: async (profile, key) => {
      await setMembers(profile, { 'api-key': key === undefined ? undefined : cleanKey(key, 'the key in the input') });
    },
    setStorageKey: async (profile, given, url) => {
      const clean = given && cleanStorageKey(given);
      const [accessKey, secret] = STORAGE_MEMBERS;
      const before = profileOf(read(), profile) ?? {};
      const key = { [accessKey]: clean?.accessKeyId, [secret]: clean?.secretAccessKey };
      await setMembers(profile, { ...(url === undefined ? {} : { 'storage-url': url }), ...key });
      return STORAGE_MEMBERS.some((name) => before[name] !== undefined);
    },
    use: async (profile) => {
      checkProfileName(profile, 'the name');
      await change((file) => {
        if (profile !== LOCAL_PROFILE && profileOf(file, profile) === undefined)
          throw noProfile(profile, Object.keys(file.profiles), path);
        return { current: profile };
      });
    },
    remove: async (profile) => {
      if (profileOf(read(), profile) === undefined) return false;
      await change((file) => ({
        current: file.current === profile ? undefined : file.current,
        profiles: Object.fromEntries(Object.entries(file.profiles).filter(([name]) => name !== profile)),
      }));
      return true;
    },
  };
}

function storable(name: string): Setting {
  const setting = findSetting(name);
  if (setting?.inProfile === true && !setting.secret) return setting;
  if (name === 'api-key') throw usage('a key is not set like this', sentence`Use: ${berth`auth login`}`);
  const kept = SETTINGS.filter((each) => each.inProfile && !each.secret).map((each) => each.name);
  throw usage(`${JSON.stringify(name)} is no setting that a profile keeps`, `These are: ${kept.join(', ')}.`);
}

/** Checks a value before it is stored. An address must be one that a key may be sent to. Fails with usage (2). */
function checkStored(setting: Setting, value: string): string {
  const checked = checkSetting(setting, value, setting.name);
  if (setting.kind === 'address') parseKeyAddress(checked, setting.name);
  return checked;
}

function shown(file: ProfilesFile): readonly Profile[] {
  const current = file.current ?? DEFAULT_PROFILE;
  const stored = Object.entries(file.profiles).map(([name, values]): Profile => {
    const { 'api-key': key, [STORAGE_MEMBERS[0]]: _accessKey, [STORAGE_MEMBERS[1]]: _secret, ...open } = values;
    return { name, current: name === current, values: open, keyTail: key === undefined ? undefined : keyTail(key) };
  });
  const local: Profile = { name: LOCAL_PROFILE, current: true, values: {}, keyTail: undefined };
  return (current === LOCAL_PROFILE ? [...stored, local] : stored).sort((a, b) => (a.name < b.name ? -1 : 1));
}

type Members = Readonly<Record<string, string | undefined>>;

const withMembers = (values: ProfileValues, members: Members): ProfileValues =>
  Object.fromEntries(
    Object.entries({ ...values, ...members }).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );

function refuseLocalProfile(profile: string): void {
  checkProfileName(profile, 'the name');
  if (profile === LOCAL_PROFILE)
    throw usage('profile "local" is the local service and keeps no settings', 'Name another profile with --profile.');
}

const LOCK_WAIT_MS: Milliseconds = 30_000;

/** Changes the file under a lock. The library is loaded here, because reading does not need it. */
async function changeFile(
  { path, locks, user }: { readonly path: string; readonly locks: FileLocks; readonly user: number | undefined },
  step: (file: ProfilesFile) => Change,
): Promise<void> {
  try {
    makeDirectory(dirname(path), 0o700);
    refuseProfilesFolder(path, user);
    const { default: Conf } = await import('conf');
    const lock = await locks.take(`${path}.lock`, { subject: `the configuration ${path}`, waitMs: LOCK_WAIT_MS });
    try {
      const file = readProfiles(path, user);
      const { current, profiles, aliases } = { ...file, ...step(file) };
      const target = existsSync(path) ? realpathSync(path) : path;
      const place = parse(target);
      // Its write takes a short one, as on a full disk, for a complete one: it writes beside the file.
      const part = { cwd: place.dir, configName: `${place.name}.${basename(lock.folder)}` };
      const kept = Object.keys(aliases).length === 0 ? undefined : aliases;
      const document = { ...file.document, current, profiles, aliases: kept };
      const text = `${JSON.stringify(document, undefined, 2)}\n`;
      const options = { ...part, configFileMode: 0o600, accessPropertiesByDotNotation: false, serialize: () => text };
      const conf = new Conf<Record<string, unknown>>(options);
      try {
        lock.check();
        conf.store = document;
        if (statSync(conf.path).size !== Buffer.byteLength(text))
          throw Object.assign(new Error('short write'), { code: 'ENOSPC' });
        renameSync(conf.path, target);
      } finally {
        rmSync(conf.path, { force: true });
      }
    } finally {
      lock.release();
    }
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw localFile(`cannot write the configuration ${path}: ${errorReason(error)}`, 'Nothing was changed.', error);
  }
}
