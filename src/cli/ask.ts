/** The one question, and the missing values. What destroys says what it will hit and asks; elsewhere it needs --yes. */
import type { Command, Values } from './model/command.ts';
import { type CommandContext, onProfile } from './model/context.ts';
import { flagName, isGiven, labelOf, type Param, type Params } from './model/params.ts';
import { readRequest } from '../core/api.ts';
import type { Prompts } from '../core/context.ts';
import { EXIT } from '../core/exit-codes.ts';
import { Failure, messageOf, noKey, usage } from '../core/failure.ts';
import { lines } from '../core/message.ts';
import { safeText } from '../core/safe-text.ts';

export interface Question {
  /** What will be hit, and what is lost with it. */
  readonly line: string;
  /** Must be typed, where a yes is too easily given: the name of a volume. */
  readonly typed?: string;
}

/** Whether a person will be asked: only then is anything read for the question. */
export const asks = ({ yes, dryRun }: Pick<CommandContext, 'yes' | 'dryRun'>): boolean => !yes && !dryRun;

/** Fails with usage (2) in a script without --yes. Called before the first request. */
export function requireYes(ctx: CommandContext): void {
  if (asks(ctx) && !ctx.terminal.canAsk)
    throw usage('this needs confirmation, and there is no terminal to ask on', 'Pass --yes to confirm.');
}

/** Asks. Fails with usage (2) where nobody can be asked, and for a no: nothing was changed. */
export async function ask(ctx: CommandContext, { line, typed }: Question): Promise<void> {
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
    const { usageOf } = await import('./help.ts');
    throw usage(
      `missing ${labels.join(' and ')}`,
      lines(
        ...unasked.map(([key, param]) => `${labelOf(key, param)}: ${param.summary}${orFlags(param)}`),
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

const insteadOf = ({ unless }: Param<unknown>, given: Values): string | undefined =>
  unless?.find((key) => isGiven(given[key]));

const orFlags = ({ unless }: Param<unknown>): string =>
  unless === undefined ? '' : `; or select them with ${unless.map(flagName).join(', ')}`;

/** Usage (2) for an argument together with a flag that replaces it. */
function refuseBoth(params: readonly (readonly [string, Param<unknown>])[], given: Values): void {
  for (const [key, param] of params) {
    const flag = isMissing(given[key]) ? undefined : insteadOf(param, given);
    if (flag !== undefined)
      throw usage(`${labelOf(key, param)} and ${flagName(flag)} exclude each other`, 'Keep one of them.');
  }
}

const isMissing = (value: unknown): boolean => value === undefined || (Array.isArray(value) && value.length === 0);

/** Repeats until the answer parses and `checkValue` accepts it. */
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

/** Asks only if the request can be sent: no key is denied (3), unknown profile usage (2). */
export function promptsWithKey({ settings, api, dryRun, prompts }: CommandContext): Prompts {
  const requireKey = async (): Promise<void> => {
    if (settings.local || (await settings.key()) !== undefined) return;
    // Not sent: fails without an address.
    await api.preview(readRequest(['v2', 'pods']));
    if (!dryRun) throw noKey();
  };
  const after = async <T>(ask: () => Promise<T>): Promise<T> => {
    await requireKey();
    return await ask();
  };
  return {
    text: (message, options) => after(() => prompts.text(message, options)),
    secret: (message) => after(() => prompts.secret(message)),
    select: (message, choices) => after(() => prompts.select(message, choices)),
    confirm: (message) => prompts.confirm(message),
  };
}
