import { berth, type Message } from '../../core/message.ts';
import type { SettingsView } from '../../core/ports/settings.ts';
import { settingNamed, type SettingName } from '../../settings/settings-table.ts';

/**
 * How to do without the value of a setting: the variable or the flag that gives it, which come before the profile, or the
 * command that removes it from the profile.
 */
export function unsetLine(settings: Pick<SettingsView, 'source'>, name: SettingName): Message {
  const { flag = '', variable = '' } = settingNamed(name);
  switch (settings.source(name)) {
    case 'flag':
      return `leave out ${flag}`;
    case 'environment':
      return `unset the variable ${variable}`;
    default:
      return berth`config unset ${name}`;
  }
}
