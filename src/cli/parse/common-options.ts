import type { Command } from '../command.ts';
import { onlyWith, option, type Param, type Params } from './params.ts';

/** Flags the kit gives a command for what it says of itself; no command declares them. */
export function commonOptions(command: Command): Params {
  return {
    ...(command.writes ? { dryRun: option.on('print the request as JSON and send nothing') } : {}),
    ...(command.confirm ? { yes: option.on('do not ask for confirmation', { short: '-y' }) } : {}),
    ...(command.watch
      ? {
          watch: option.on('show it again and again until Ctrl-C', { short: '-w' }),
          interval: onlyWith(['watch'], option.durationOr('time between two looks with --watch', 's', 2000, '2s')),
        }
      : {}),
  };
}

/** All flags of a command that help and completion show, by key. */
export const visibleOptions = (command: Command): readonly (readonly [string, Param<unknown>])[] =>
  Object.entries({ ...command.options, ...commonOptions(command) }).filter(([, { hidden }]) => hidden !== true);
