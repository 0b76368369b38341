import { join } from 'node:path';
import { isOnThisMachine } from '../../core/addresses.ts';
import { Failure, usage } from '../../core/failure.ts';
import { berth, sentence } from '../../core/message.ts';
import type { Runtime } from './runtime.ts';
import { Settings } from '../../settings/settings.ts';
import { directoryOf } from '../../settings/directories.ts';
import { readProfiles } from '../../settings/read-profiles.ts';
import type { GlobalFlags } from '../../settings/resolve.ts';

/** `berth local` always acts on this machine: usage (2) if a flag names a service elsewhere. */
export function chooseLocalService<T extends GlobalFlags>(flags: T, runtime: Runtime): T {
  const inProcess = { ...flags, local: true };
  const named = ['base-url', 'profile'].find((flag) => flags[flag] !== undefined);
  try {
    const settings = new Settings(runtime, flags);
    if (named === 'profile') settings.requireProfile();
    if (settings.local || isOnThisMachine(settings.get('base-url'))) return settings.local ? inProcess : flags;
  } catch (error) {
    if (named === undefined && error instanceof Failure) return inProcess;
    throw error;
  }
  if (named === undefined) return inProcess;
  throw usage(
    `--${named} ${String(flags[named])} names no service on this machine, and these commands are about those alone`,
    sentence`Use --local for the local service in this process, or name the address of one that this starts: ${berth`local serve`}`,
  );
}

/** Local-file (14) for an unusable file, usage (2) without a home directory. */
export const readAliases = async (runtime: Runtime): Promise<Readonly<Record<string, string>>> =>
  readProfiles(join(directoryOf('config', runtime), 'config.json'), runtime.user).aliases;
