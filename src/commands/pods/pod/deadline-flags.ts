import { memberOf, objectAt, objectOf, type Json, type JsonObject } from '../../../core/json.ts';
import { exactDuration } from '../../../core/units.ts';
import type { SettingsView } from '../../../core/context.ts';
import { option } from '../../../cli/model/params.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import {
  checkDeadlines,
  DEADLINE_ACTIONS,
  DEADLINE_VARIABLES,
  hasDeadline,
  storedDeadline,
  type DeadlineAction,
} from '../../../guard/deadline.ts';

/** The flag of a deadline, which becomes a variable of the pod's environment. It fails with usage (2). */
export const deadlineFlag = (action: DeadlineAction, summary: string) => ({
  param: option.text(summary, { metavar: 'TIME|DATE' }),
  path: 'env',
  value: (given: string, before: Json | undefined): Json => ({
    ...objectOf(before),
    [DEADLINE_VARIABLES[action]]: storedDeadline(given, `--${action}-after`),
  }),
});

/** The deadlines that the profile gives to a pod whose variables have none. */
export function deadlinesOfProfile(variables: Json | undefined, settings: SettingsView): JsonObject {
  const given = { stop: settings.get('pods-stop-after'), terminate: settings.get('pods-terminate-after') };
  return Object.fromEntries(
    DEADLINE_ACTIONS.flatMap((action) => {
      const [name, afterMs] = [DEADLINE_VARIABLES[action], given[action]];
      return afterMs === undefined || memberOf(variables, name) !== undefined ? [] : [[name, exactDuration(afterMs)]];
    }),
  );
}

/**
 * Refuses deadlines in the variables of a body, from flags, a file or `--env`, that nobody could keep: usage (2). `before`
 * reads the pod of an update: what it has already is left as it is. Only for a new deadline the service's time is asked for.
 */
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
