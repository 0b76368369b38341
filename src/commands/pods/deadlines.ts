import type { CommandContext } from '../../cli/model/context.ts';
import { option } from '../../cli/model/params.ts';
import { labelOf } from '../../cli/resource/choose.ts';
import { unpricedDisks } from './price.ts';
import type { SettingsView } from '../../core/context.ts';
import { type Json, type JsonObject, memberAt, memberOf, numberAt, objectAt, objectOf } from '../../core/json.ts';
import { inOne, type Message, sentence } from '../../core/message.ts';
import { costOver, exactDuration, formatDollars, formatDuration } from '../../core/units.ts';
import {
  checkDeadlines,
  DEADLINE_ACTIONS,
  DEADLINE_VARIABLES,
  type DeadlineAction,
  firstDeadline,
  hasDeadline,
  hasDeadlineTo,
  storedDeadline,
} from '../../guard/deadline.ts';

/** Stored as a variable of the pod's environment. Usage (2). */
export const deadlineFlag = (action: DeadlineAction, summary: string) => ({
  param: option.text(summary, { metavar: 'TIME|DATE' }),
  path: 'env',
  value: (given: string, before: Json | undefined): Json => ({
    ...objectOf(before),
    [DEADLINE_VARIABLES[action]]: storedDeadline(given, `--${action}-after`),
  }),
});

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

/** `perHour` in US dollars; rounded up to a cent. Undefined without a deadline. */
export async function costUntilDeadline(
  ctx: CommandContext,
  body: JsonObject,
  perHour: number,
): Promise<Message | undefined> {
  const first = firstDeadline(variablesOf(body), ctx.serviceNow());
  if (first === undefined) return undefined;
  const { lastRunLine, readLastRun } = await import('../guard/last-run.ts');
  const sweptAt = await readLastRun(ctx);
  const [cost, span] = [formatDollars(inWholeCents(costOver(perHour, first.spanMs))), formatDuration(first.spanMs)];
  return inOne([
    `It costs ${cost} until its deadline in ${span}, ${unpricedDisks(body)}, if a guard runs${guardOf(first.action, body)}`,
    lastRunLine(sweptAt, ctx.serviceNow(), hasDeadlineTo('terminate', variablesOf(body))),
  ]);
}

/** Rounded up; multiplication is inexact, so under a millionth of a cent above is ignored. */
const inWholeCents = (dollars: number): number => Math.ceil(dollars * 100 - 1e-6) / 100;

/** A pod in ERROR cannot be stopped, and a stop never deletes a persistent mount. */
function guardOf(action: DeadlineAction, body: JsonObject): string {
  if (action === 'terminate') return ' with --allow-terminate.';
  return memberAt(body, 'mounts.persistent') === undefined
    ? '. Should it end in ERROR, only a guard with --allow-terminate ends that cost.'
    : '. Should it end in ERROR, no guard ends that cost: terminating it would delete its persistent mount.';
}

/** Empty with --quiet and for unknown costs. */
export async function costsUntilDeadlines(ctx: CommandContext, pods: readonly Json[]): Promise<readonly Message[]> {
  if (ctx.settings.get('quiet')) return [];
  const costs = await Promise.all(
    pods.map(async (pod) => {
      const perHour = numberAt(pod, 'cost');
      const line = perHour === undefined ? undefined : await costUntilDeadline(ctx, objectOf(pod) ?? {}, perHour);
      return line === undefined ? [] : [pods.length === 1 ? line : sentence`pod ${labelOf(pod)}: ${line}`];
    }),
  );
  return costs.flat();
}

const variablesOf = (body: JsonObject): Json | undefined => memberAt(body, 'env');

/** Only if the profile asks for it. */
export async function warnWithoutDeadline(ctx: CommandContext, body: JsonObject): Promise<void> {
  if (ctx.settings.get('guard') !== 'warn' || body['gpu'] === undefined || hasDeadline(variablesOf(body))) return;
  await ctx.tell(
    sentence`Warning: this pod has no deadline, and runs until somebody stops it: --stop-after 8h gives it one.`,
  );
}
