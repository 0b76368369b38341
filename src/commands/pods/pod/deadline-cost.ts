import { memberAt, numberAt, objectOf, type Json, type JsonObject } from '../../../core/json.ts';
import { inOne, sentence, type Message } from '../../../core/message.ts';
import { costOver, formatDollars, formatDuration } from '../../../core/units.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { labelOf } from '../../../cli/resource/choose.ts';
import { deadlineSpan, hasDeadline } from '../../../guard/deadline.ts';

/**
 * What a new pod costs at most until its first deadline, and whether a guard runs that keeps it: `It costs at most $4.96
 * until ...`. Undefined without a deadline. `perHour` is US dollars.
 */
export async function costUntilDeadline(
  ctx: CommandContext,
  body: JsonObject,
  perHour: number,
): Promise<Message | undefined> {
  const spanMs = deadlineSpan(variablesOf(body), ctx.serviceNow());
  if (spanMs === undefined) return undefined;
  const { lastRunLine, readMemory } = await import('../../guard/sweep/memory.ts');
  const { sweptAt } = await readMemory(ctx);
  const most = formatDollars(costOver(perHour, spanMs));
  return inOne([
    `It costs at most ${most} until its deadline in ${formatDuration(spanMs)}, if a guard runs.`,
    lastRunLine(sweptAt, ctx.serviceNow()),
  ]);
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
