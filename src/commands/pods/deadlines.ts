import { type Json, type JsonObject, memberAt, memberOf, objectAt, objectOf } from '../../core/json.ts';
import { berth, type Message, sentence } from '../../core/message.ts';
import type { SettingsView } from '../../core/context.ts';
import { costOver, exactDuration, formatDollars, formatDuration } from '../../core/units.ts';
import {
  checkDeadlines,
  DEADLINE_ACTIONS,
  DEADLINE_VARIABLES,
  firstDeadline,
  hasDeadline,
} from '../../guard/deadline.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import type { Cost } from '../../cli/money.ts';

/** For pods whose variables have no deadline. */
export function deadlinesOfProfile(variables: Json | undefined, settings: SettingsView): JsonObject {
  const given = { stop: settings.get('pods-stop-after'), terminate: settings.get('pods-terminate-after') };
  return Object.fromEntries(
    DEADLINE_ACTIONS.flatMap((action) => {
      const [name, afterMs] = [DEADLINE_VARIABLES[action], given[action]];
      return afterMs === undefined || memberOf(variables, name) !== undefined ? [] : [[name, exactDuration(afterMs)]];
    }),
  );
}

/** Usage (2) for impossible deadlines from any source; an update's existing ones are not checked. */
export async function checkDeadlineVariables(
  ctx: CommandContext,
  body: JsonObject,
  before: () => Promise<Json> = () => Promise.resolve(null),
): Promise<void> {
  const variables = objectOf(body['env']);
  if (variables === undefined || !hasDeadline(variables)) return;
  const known = objectAt(await before(), 'env') ?? {};
  const given = Object.fromEntries(Object.entries(variables).filter(([name, value]) => known[name] !== value));
  if (hasDeadline(given)) checkDeadlines(given, await ctx.fetchServiceNow());
}

/** `Stops in 2h (about $1.38) if a guard runs: berth guard run`. Undefined without a deadline. */
export function deadlineLine(ctx: CommandContext, body: Json, { hourly }: Cost): Message | undefined {
  const first = firstDeadline(memberAt(body, 'env'), ctx.serviceNow());
  if (first === undefined) return undefined;
  const about = hourly === undefined ? '' : ` (about ${formatDollars(costOver(hourly.high, first.spanMs))})`;
  const [does, guard] =
    first.action === 'stop' ? ['Stops', berth`guard run`] : ['Terminates', berth`guard run --allow-terminate`];
  return sentence`${does} in ${formatDuration(first.spanMs)}${about} if a guard runs: ${guard}`;
}
