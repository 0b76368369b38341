import { Failure } from '../core/failure.ts';
import { checkSetting } from './check-setting.ts';
import type { GlobalFlags, Sources } from './resolve.ts';
import { ADDRESSES, settingNamed, type SettingName } from './settings-table.ts';

/** The settings that decide which account a command is for. */
const CHOOSE_ACCOUNT = ['profile', 'local', ...ADDRESSES] as const;

/** With one of these in the environment, BERTH_PROFILE alone is not the account, and `--profile` would be another one. */
const NOT_OF_THE_PROFILE = ['api-key', 'api-key-file', ...ADDRESSES] as const;

/**
 * The words that choose the account of this command line, such as `--profile other`: a command that is printed needs them to
 * act on the same account, also in another shell. They come from the flags; without one, from BERTH_LOCAL or BERTH_PROFILE.
 * Addresses of the environment are left out, because their key is in the environment too and no flag gives it; but where
 * `isAnotherUsed`, a shell without them would use another account, and with them its key is refused for these addresses. A
 * value that is refused is left out.
 */
export function accountFlags(flags: GlobalFlags, env: Sources['env'], isAnotherUsed: () => boolean): readonly string[] {
  if (CHOOSE_ACCOUNT.some((name) => flags[name] !== undefined))
    return CHOOSE_ACCOUNT.flatMap((name) => (flags[name] === undefined ? [] : flagWords(name, String(flags[name]))));
  const variable = (name: SettingName): string => env[settingNamed(name).variable ?? ''] ?? '';
  const local = flagWords('local', variable('local'));
  if (local.length > 0) return local;
  if (variable('base-url') !== '' && isAnotherUsed())
    return ADDRESSES.flatMap((name) => flagWords(name, variable(name)));
  if (NOT_OF_THE_PROFILE.some((name) => variable(name) !== '')) return [];
  return flagWords('profile', variable('profile'));
}

/** `--profile other`, `--local`. Nothing for an empty or refused value, and for a switch that is off. */
function flagWords(name: SettingName, value: string): readonly string[] {
  const setting = settingNamed(name);
  if (value === '' || setting.flag === undefined) return [];
  try {
    const checked = checkSetting(setting, value, setting.flag);
    if (setting.kind === 'switch') return checked === 'true' ? [setting.flag] : [];
    return [setting.flag, checked];
  } catch (error) {
    if (error instanceof Failure) return [];
    throw error;
  }
}
