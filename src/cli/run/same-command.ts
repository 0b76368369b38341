import { berth, type CommandLine, flags, names } from '../../core/message.ts';
import { exactDuration } from '../../core/units.ts';
import type { Command, Values } from '../model/command.ts';
import { flagName, type Param, type Params } from '../model/params.ts';

/** `berth files sync d datasets: --delete`. Defaults are left out. */
export function sameCommand(
  { args, options }: Pick<Command, 'args' | 'options'>,
  values: Values,
  path: readonly string[],
): CommandLine {
  const given = Object.keys(args).flatMap((key) => (values[key] ?? []) as string | readonly string[]);
  return berth`${names(path.join(' '))} ${given} ${flags(givenFlags(options, values))}`;
}

export const givenFlags = (options: Params, values: Values): readonly string[] =>
  Object.entries(options).flatMap(([key, param]) => flagWords(key, param, values[key]));

function flagWords(key: string, param: Param<unknown>, value: unknown): readonly string[] {
  if (value === undefined || value === false || value === param.initial) return [];
  const name = flagName(key);
  if (value === true) return [name];
  return (Array.isArray(value) ? value : [value]).flatMap((each: unknown) => {
    if (typeof each === 'string') return [name, each];
    if (typeof each !== 'number') return [];
    return [name, param.format === 'duration' ? exactDuration(each) : String(each)];
  });
}
