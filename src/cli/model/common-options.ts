import type { Command } from './command.ts';
import { onlyWith, option, type Param, type Params } from './params.ts';

/** `--yes`. */
export const yesOption: Param<boolean> = option.on('do not ask for confirmation', { short: '-y' });

/** The flags that follow from `writes`, `confirm` and `watch` of a command. */
export function commonOptions(command: Command): Params {
  return {
    ...(command.writes ? { dryRun: option.on('show the request, in a pipe as JSON; it only reads') } : {}),
    ...(command.confirm ? { yes: yesOption } : {}),
    ...(command.watch
      ? {
          watch: option.on('refresh the output until it ends, or q', { short: '-w' }),
          interval: onlyWith(['watch'], option.durationOr('time between refreshes with --watch', 's', 2000, '2s')),
        }
      : {}),
  };
}

/** `--wait-timeout`. */
export const waitTimeoutOption = (summary: string): Param<number> => option.durationOr(summary, 's', 600_000, '10m');

/** `--wait` and its `--wait-timeout`. */
export const waitOptions = (summary: string) => ({
  wait: option.on(summary),
  waitTimeout: onlyWith(['wait'], waitTimeoutOption('how long --wait waits')),
});

/** The flags of a command that help and completion show, by key. */
export const visibleOptions = (command: Command): readonly (readonly [string, Param<unknown>])[] =>
  Object.entries({ ...command.options, ...commonOptions(command) }).filter(([, { hidden }]) => hidden !== true);
