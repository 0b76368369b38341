import { settingNamed } from '../../settings/settings-table.ts';
import { checkSetting } from '../../settings/check-setting.ts';
import type { CommandContext } from '../../cli/model/context.ts';

/** The prefix of `--worker-prefix`, else of the settings; undefined when neither names one. Fails with usage (2). */
export const workerPrefixOf = (ctx: CommandContext, flag: string | undefined): string | undefined =>
  flag === undefined
    ? ctx.settings.get('worker-prefix')
    : checkSetting(settingNamed('worker-prefix'), flag, '--worker-prefix');
