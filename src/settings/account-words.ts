import { Failure } from '../core/failure.ts';
import { checkSetting } from './check-setting.ts';
import type { GlobalFlags } from './resolve.ts';
import { ADDRESSES, settingNamed } from './settings-table.ts';

/** The settings that decide which account a command is for. */
const CHOOSE_ACCOUNT = ['profile', 'local', ...ADDRESSES] as const;

/**
 * The words of this command line that choose the account, such as `--profile other`: a command that is printed needs them
 * to act on the same account. What the environment or the profiles file chose needs none. A value that is refused is left out.
 */
export const accountWords = (flags: GlobalFlags): readonly string[] =>
  CHOOSE_ACCOUNT.flatMap((name) => {
    const value = flags[name];
    const setting = settingNamed(name);
    if (value === undefined || setting.flag === undefined) return [];
    if (setting.kind === 'switch') return [setting.flag];
    try {
      return [setting.flag, checkSetting(setting, String(value), setting.flag)];
    } catch (error) {
      if (error instanceof Failure) return [];
      throw error;
    }
  });
