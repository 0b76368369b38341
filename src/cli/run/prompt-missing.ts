import { helpMessage } from '../words/words.ts';
import { usage, messageOf } from '../../core/failure.ts';
import { lines, sentence } from '../../core/message.ts';
import type { Command, Values } from '../model/command.ts';
import type { CommandContext } from '../model/context.ts';
import { flagName, labelOf, isGiven, type Param, type Params } from '../model/params.ts';

/**
 * Adds defaults to the given values and prompts for missing required values on a terminal. Without a terminal it fails
 * with usage (2) and names every missing flag or argument; also for a flag that needs another flag.
 */
export async function completeValues(
  ctx: CommandContext,
  command: Command,
  options: Params,
  given: Values,
  path: readonly string[],
): Promise<Values> {
  const params = Object.entries({ ...command.args, ...options });
  for (const [key, { needs }] of params)
    if (needs !== undefined && given[key] !== undefined && needs.every((other) => (given[other] ?? false) === false))
      throw usage(`${flagName(key)} needs ${needs.map(flagName).join(' or ')}`, 'Add it, or leave both out.');
  refuseBoth(params, given);
  const missing = params.filter(
    ([key, param]) => param.required && isMissing(given[key]) && insteadOf(param, given) === undefined,
  );
  const unasked = missing.filter(([, param]) => !ctx.terminal.canAsk || param.ask === undefined);
  if (unasked.length > 0) {
    const labels = unasked.map(([key, param]) => labelOf(key, param));
    const { usageOf } = await import('../help/help.ts');
    throw usage(
      `missing ${labels.join(' and ')}`,
      lines(
        ...unasked.map(
          ([key, param]) => sentence`${labelOf(key, param)}: ${helpMessage(param.summary)}${orFlags(param)}`,
        ),
        `Usage: ${usageOf(path, command)}`,
      ),
    );
  }
  const values: Record<string, unknown> = {};
  for (const [key, param] of params)
    values[key] = isMissing(given[key]) ? (param.initial ?? (param.many ? [] : undefined)) : given[key];
  for (const [key, param] of missing) values[key] = await promptFor(ctx, key, param);
  return values;
}

/** The flag that was given in place of an argument. */
const insteadOf = ({ unless }: Param<unknown>, given: Values): string | undefined =>
  unless?.find((key) => isGiven(given[key]));

const orFlags = ({ unless }: Param<unknown>): string =>
  unless === undefined ? '' : `; or select them with ${unless.map(flagName).join(', ')}`;

/** Fails with usage (2) where an argument and a flag that takes its place are both given. */
function refuseBoth(params: readonly (readonly [string, Param<unknown>])[], given: Values): void {
  for (const [key, param] of params) {
    const flag = isMissing(given[key]) ? undefined : insteadOf(param, given);
    if (flag !== undefined)
      throw usage(`${labelOf(key, param)} and ${flagName(flag)} exclude each other`, 'Keep one of them.');
  }
}

const isMissing = (value: unknown): boolean => value === undefined || (Array.isArray(value) && value.length === 0);

/** Prompts for one value until it parses and `checkValue` takes it, with a list to pick from if there is one. */
export async function promptFor(
  ctx: CommandContext,
  key: string,
  param: Param<unknown>,
  checkValue?: (value: unknown) => void,
): Promise<unknown> {
  const { ask } = param;
  if (ask === undefined) throw usage(`missing ${labelOf(key, param)}`);
  // A person who answers questions has typed no flag.
  const answer = ask.kind === 'text' ? ask.answer : 'an answer';
  const label = answer.replace(/^an? /, 'the ');
  const parse = (text: string): unknown => (param.many ? [param.parse(text, label)].flat() : param.parse(text, label));
  const check = (text: string): string | undefined => {
    if (text.trim() === '') return `${answer} is needed`;
    try {
      const value = parse(text);
      checkValue?.(value);
      return undefined;
    } catch (error) {
      return messageOf(error).replace(flagName(key), () => label);
    }
  };
  if (ask.kind === 'text') return parse(await ctx.prompts.text(ask.question, { check }));
  const choices = await ask.choices(ctx);
  if (choices.length === 0) return parse(await ctx.prompts.text(ask.question, { check }));
  return parse(await ctx.prompts.select(ask.question, choices));
}
