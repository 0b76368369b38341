import { isOnThisMachine } from '../../core/addresses/http-address.ts';
import { Failure, usage } from '../../core/failure.ts';
import { berth, sentence } from '../../core/message.ts';
import type { GlobalFlags } from '../../settings/resolve.ts';
import { noProfile } from '../../settings/no-profile.ts';
import { hostSettings } from '../runtime/settings.ts';
import type { Runtime } from '../runtime/runtime.ts';

/**
 * Returns the global flags for `berth local ...`: with `local`, unless the settings name a service on this machine. So these
 * commands act on the same service as all others with these settings, and never on one elsewhere. Fails with usage (2) when
 * a flag names a service that is not on this machine or a profile that does not exist, and as the settings do when a flag names a
 * profile that cannot be read.
 */
export function chooseLocalService<T extends GlobalFlags>(flags: T, runtime: Runtime): T {
  const inProcess = { ...flags, local: true };
  const named = ['base-url', 'profile'].find((flag) => flags[flag] !== undefined);
  try {
    const settings = hostSettings(runtime, flags);
    if (named === 'profile' && !settings.profileExists())
      throw noProfile(settings.profile, settings.profileNames(), settings.profilesPath);
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
