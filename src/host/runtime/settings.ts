import type { GlobalFlags } from '../../settings/resolve.ts';
import { createSettings, type Settings, type SettingsInput } from '../../settings/create-settings.ts';
import type { Runtime } from './runtime.ts';

/** Slow values, such as the home directory, are read when a setting needs them. */
export const hostSettings = (
  runtime: Runtime,
  flags: GlobalFlags,
  readKeyFile: SettingsInput['readKeyFile'] = () => Promise.resolve(''),
): Settings =>
  createSettings({
    env: runtime.env,
    flags,
    platform: runtime.platform,
    user: runtime.user,
    get home() {
      return runtime.home;
    },
    get foreignHome() {
      return runtime.foreignHome;
    },
    get cwd() {
      return runtime.cwd;
    },
    readKeyFile,
  });
