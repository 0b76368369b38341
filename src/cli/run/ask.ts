import { usage } from '../../core/failure.ts';
import type { Command, Values } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { flagName, labelOf, type Param, type Params } from '../parse/params.ts';

/**
 * Completes what was given with defaults, and asks for required values that are missing where a person is there to
 * answer. Fails with usage (2), naming every missing flag or argument, where nobody is; and for a flag that says
 * nothing without another.
 */
export async function complete(ctx: CommandContext, command: Command, options: Params, given: Values): Promise<Values> {
  const params = Object.entries({ ...command.args, ...options });
  for (const [key, { needs }] of params)
    if (needs !== undefined && given[key] !== undefined && !needs.some((other) => given[other] === true))
      throw usage(`${flagName(key)} needs ${needs.map(flagName).join(' or ')}`, 'Add it, or leave both out.');
  const missing = params.filter(([key, param]) => param.required && isMissing(given[key]));
  const unasked = missing.filter(([, param]) => !ctx.terminal.canAsk || param.ask === undefined);
  if (unasked.length > 0) {
    const labels = unasked.map(([key, param]) => labelOf(key, param));
    throw usage(
      `missing ${labels.join(' and ')}`,
      unasked.map(([key, param]) => `${labelOf(key, param)}: ${param.summary}`).join('\n'),
    );
  }
  const values: Record<string, unknown> = {};
  for (const [key, param] of params)
    values[key] = isMissing(given[key]) ? (param.initial ?? (param.many ? [] : undefined)) : given[key];
  for (const [key, param] of missing) values[key] = await askFor(ctx, key, param);
  return values;
}

const isMissing = (value: unknown): boolean => value === undefined || (Array.isArray(value) && value.length === 0);

/** Asks for one value, again until it parses; a list to pick from where there is one. */
export async function askFor(ctx: CommandContext, key: string, param: Param<unknown>): Promise<unknown> {
  const label = labelOf(key, param);
  const parse = (text: string): unknown => (param.many ? [param.parse(text, label)].flat() : param.parse(text, label));
  const check = (text: string): string | undefined => {
    if (text.trim() === '') return `${label} is needed`;
    try {
      parse(text);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };
  const { ask } = param;
  if (ask === undefined) throw usage(`missing ${label}`);
  // A dry run sends nothing, not even the list to pick from.
  if (ask.kind === 'text' || ctx.dryRun) return parse(await ctx.prompts.text(ask.question, { check }));
  const choices = await ask.choices(ctx);
  if (choices.length === 0) return parse(await ctx.prompts.text(ask.question, { check }));
  return parse(await ctx.prompts.select(ask.question, choices));
}
