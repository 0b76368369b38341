import type { GlobalFlags } from '../../settings/resolve.ts';
import { createSettings, type Settings, type SettingsInput } from '../../settings/create-settings.ts';
import type { Runtime } from './runtime.ts';

/** The settings of one run. What costs time, such as finding the home directory, is read when a setting needs it. */
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
