/** The one question, and the missing values. What destroys says what it will hit and asks; elsewhere it needs --yes. */
import type { Command, Values } from './model/command.ts';
import { type CommandContext, onProfile } from './model/context.ts';
import { flagName, isGiven, labelOf, type Param, parseValue } from './model/params.ts';
import { readRequest } from '../core/api.ts';
import type { Prompts } from '../core/context.ts';
import { EXIT } from '../core/exit-codes.ts';
import { Failure, messageOf, noKey, usage } from '../core/failure.ts';
import { safeText } from '../core/safe-text.ts';

/** Whether a person will be asked: only then is anything read for the question. */
export const asks = ({ yes, dryRun }: Pick<CommandContext, 'yes' | 'dryRun'>): boolean => !yes && !dryRun;

/** Fails with usage (2) in a script without --yes. Called before the first request. */
export function requireYes(ctx: CommandContext): void {
  if (asks(ctx) && !ctx.terminal.canAsk)
    throw usage('this needs confirmation, and there is no terminal to ask on', 'Pass --yes to confirm.');
}

/** Asks. `typed` must be typed, where a yes is too easily given. Fails with usage (2) for a no: nothing was changed. */
export async function ask(
  ctx: CommandContext,
  { line, typed }: { readonly line: string; readonly typed?: string },
): Promise<void> {
  if (!asks(ctx)) return;
  if (!ctx.terminal.canAsk) throw usage(`not confirmed: ${line}`, 'Pass --yes to confirm.');
  await ctx.tell(line);
  const where = await onProfile(ctx);
  const isYes =
    typed === undefined
      ? await ctx.prompts.confirm(`Continue${where}?`)
      : (await ctx.prompts.text(`Type ${safeText(typed)} to continue${where}:`, {
          check: (text) => (text === typed || text === '' ? undefined : `not ${safeText(typed)}; Enter cancels`),
          instead: 'Pass --yes to confirm.',
        })) === typed;
  if (!isYes) throw new Failure({ code: 'declined', exit: EXIT.usage, message: 'not confirmed: nothing was changed' });
}

/** Without a terminal: usage (2) naming every missing flag, also one that another flag needs. */
export async function completeValues(
  ctx: CommandContext,
  command: Command,
  given: Values,
  path: readonly string[],
): Promise<Values> {
  const params = Object.entries({ ...command.args, ...command.options });
  for (const [key, param] of params) {
    const { needs, unless } = param;
    if (needs !== undefined && given[key] !== undefined && !needs.some((other) => isGiven(given[other])))
      throw usage(`${flagName(key)} needs ${needs.map(flagName).join(' or ')}`);
    const other = isGiven(given[key]) ? unless?.find((each) => isGiven(given[each])) : undefined;
    if (other !== undefined) throw usage(`use either ${labelOf(key, param)} or ${flagName(other)}`);
  }
  const missing = params.filter(
    ([key, { required, unless = [] }]) => required && ![key, ...unless].some((each) => isGiven(given[each])),
  );
  const unasked = missing.filter(([, param]) => !ctx.terminal.canAsk || param.ask === undefined);
  if (unasked.length > 0) {
    const labels = unasked.map(([key, param]) => labelOf(key, param));
    const { usageOf } = await import('./help.ts');
    throw usage(`missing ${labels.join(' and ')}`, `Usage: ${usageOf(path, command)}`);
  }
  const values: Record<string, unknown> = {};
  for (const [key, param] of params)
    values[key] = isGiven(given[key]) ? given[key] : (param.initial ?? (param.many ? [] : undefined));
  for (const [key, param] of missing) values[key] = await promptFor(ctx, key, param);
  return values;
}

/** Repeats until the answer parses and `checkValue` accepts it. */
export async function promptFor(
  ctx: CommandContext,
  key: string,
  param: Param<unknown>,
  checkValue?: (value: unknown) => void,
): Promise<unknown> {
  const { ask } = param;
  if (ask === undefined) throw usage(`missing ${labelOf(key, param)}`);
  const parse = (text: string): unknown => {
    const value = parseValue(param, text, labelOf(key, param));
    return param.many ? [value].flat() : value;
  };
  const check = (text: string): string | undefined => {
    if (text.trim() === '') return `${ask.kind === 'text' ? ask.answer : 'an answer'} is needed`;
    try {
      checkValue?.(parse(text));
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  };
  const choices = ask.kind === 'text' ? [] : await ask.choices(ctx);
  if (choices.length > 0) return parse(await ctx.prompts.select(ask.question, choices));
  return parse(await ctx.prompts.text(ask.question, { check }));
}

/** Asks only if the request can be sent: no key is denied (3), unknown profile usage (2). */
export function promptsWithKey({ settings, api, dryRun, prompts }: CommandContext): Prompts {
  const after = async <T>(prompt: () => Promise<T>): Promise<T> => {
    const hasKey = settings.local || (await settings.key()) !== undefined;
    // Not sent: fails without an address.
    if (!hasKey) await api.preview(readRequest(['v2', 'pods']));
    if (!hasKey && !dryRun) throw noKey();
    return await prompt();
  };
  return {
    text: (message, options) => after(() => prompts.text(message, options)),
    secret: (message) => after(() => prompts.secret(message)),
    select: (message, choices) => after(() => prompts.select(message, choices)),
    confirm: (message) => prompts.confirm(message),
  };
}
