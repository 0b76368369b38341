import { memberAt, numberAt, objectOf, type Json, type JsonObject } from '../../../core/json.ts';
import { inOne, sentence, type Message } from '../../../core/message.ts';
import { costOver, formatDollars, formatDuration } from '../../../core/units.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { labelOf } from '../../../cli/resource/choose.ts';
import { firstDeadline, hasDeadline, hasDeadlineTo, type DeadlineAction } from '../../../guard/deadline.ts';
import { unpricedDisks } from './unpriced-disks.ts';

/**
 * What the hardware of a new pod costs until its first deadline, and whether a guard runs that keeps it: `It costs $4.97 until
 * ...`, rounded up to a cent. Undefined without a deadline. `perHour` is US dollars.
 */
export async function costUntilDeadline(
  ctx: CommandContext,
  body: JsonObject,
  perHour: number,
): Promise<Message | undefined> {
  const first = firstDeadline(variablesOf(body), ctx.serviceNow());
  if (first === undefined) return undefined;
  const { lastRunLine, readLastRun } = await import('../../guard/last-run.ts');
  const sweptAt = await readLastRun(ctx);
  const [cost, span] = [formatDollars(inWholeCents(costOver(perHour, first.spanMs))), formatDuration(first.spanMs)];
  return inOne([
    `It costs ${cost} until its deadline in ${span}, ${unpricedDisks(body)}, if a guard runs${guardOf(first.action, body)}`,
    lastRunLine(sweptAt, ctx.serviceNow(), hasDeadlineTo('terminate', variablesOf(body))),
  ]);
}

/** US dollars, rounded up to a cent. A multiplication is inexact: less than a millionth of a cent above one is none. */
const inWholeCents = (dollars: number): number => Math.ceil(dollars * 100 - 1e-6) / 100;

/** Which guard it takes: a pod in ERROR cannot be stopped, and a stop never deletes a persistent mount. */
function guardOf(action: DeadlineAction, body: JsonObject): string {
  if (action === 'terminate') return ' with --allow-terminate.';
  return memberAt(body, 'mounts.persistent') === undefined
    ? '. Should it end in ERROR, only a guard with --allow-terminate ends that cost.'
    : '. Should it end in ERROR, no guard ends that cost: terminating it would delete its persistent mount.';
}

/** The same for pods that were started with a deadline, without --quiet; nothing for one whose cost is not known. */
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

/** Warns of a GPU pod that nothing will stop, where the profile asks for that. */
export async function warnWithoutDeadline(ctx: CommandContext, body: JsonObject): Promise<void> {
  if (ctx.settings.get('guard') !== 'warn' || body['gpu'] === undefined || hasDeadline(variablesOf(body))) return;
  await ctx.tell(
    sentence`Warning: this pod has no deadline, and runs until somebody stops it: --stop-after 8h gives it one.`,
  );
}
