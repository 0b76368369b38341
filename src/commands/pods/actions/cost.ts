import { type Json, memberAt, numberAt, objectOf, stringAt } from '../../../core/json.ts';
import { berth, type Message, sentence } from '../../../core/message.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { labelOf } from '../../../cli/resource/choose.ts';
import { countOf } from '../../../cli/words/words.ts';
import { idOf } from '../../../output/view.ts';
import { accountLine } from '../../shared/rate/account-line.ts';
import { podsRate, rateWithUnknown } from '../../shared/rate/hourly-cost.ts';
import { savedDisks } from '../../billing/report/disk-costs.ts';
import { keptDisks, wipesDisks } from '../../shared/rate/stopped-disks.ts';
import { costUntilStopped } from '../pod/price.ts';
import { lacksHardware } from '../pod/reachable.ts';

export const isLocked = (pod: Json): boolean => memberAt(pod, 'locked') === true;

/** `$7.47 an hour`. Says if the cost of some of them is not known. */
const hourlyText = (pods: readonly Json[]): string => rateWithUnknown(podsRate(pods));

/** `8 pods, $7.47 an hour, 1 locked. The account costs $16.63 an hour (pods $8.27, workers $8.36).` */
export async function totalOf(pods: readonly Json[], ctx: CommandContext | undefined): Promise<string> {
  const locked = pods.filter(isLocked).length;
  const own = `${countOf(pods.length, 'pod')}, ${hourlyText(pods)}${locked === 0 ? '' : `, ${locked} locked`}`;
  return ctx === undefined ? own : `${own}. ${await accountLine(ctx)}`;
}

/** `It saves $7.47 an hour.` */
const savingOf = (pods: readonly Json[]): string => `It saves ${formatSaving(pods)}.`;

/** Without the disks of stopped pods, which have a sentence of their own. */
const formatSaving = (pods: readonly Json[]): string =>
  hourlyText(pods.map((pod) => ({ ...objectOf(pod), mounts: null })));

/** What a stop saves, wipes, and what of the pods costs on. */
export const effectOfStop = (pods: readonly Json[]): string =>
  [savingOf(pods), wipesDisks(pods), keptDisks(pods)].filter((line) => line !== undefined).join(' ');

/** What terminating pods saves, with the disks of stopped ones by the last bill. */
export const savingOfEnd = async (ctx: CommandContext, pods: readonly Json[]): Promise<string> =>
  [savingOf(pods), await savedDisks(ctx, pods)].filter((line) => line !== undefined).join(' ');

/**
 * What the pods that started cost from now on, without --quiet. Names those of `running` that started without their GPU
 * (additions 6), now or before: they are paid for, and of no use.
 */
export function startedLines(
  ctx: CommandContext,
  started: readonly Json[],
  running: readonly Json[],
): readonly Message[] {
  const cost = ctx.settings.get('quiet') ? undefined : costUntilStopped(started);
  return [
    ...(cost === undefined ? [] : [cost]),
    ...running
      .filter(lacksHardware)
      .map(
        (pod) => sentence`Pod ${labelOf(pod)} has started without its GPU. Stop it: ${berth`pods stop ${idOf(pod)}`}`,
      ),
  ];
}

/** The most pods that are named one by one. */
const MAX_NAMED = 10;

/** What pods that were not stopped go on costing, each with the command that ends it. */
export function stillPaidLines(pods: readonly Json[]): readonly Message[] {
  const paid = pods.filter((pod) => (numberAt(pod, 'cost') ?? 0) > 0);
  const lines = paid.slice(0, MAX_NAMED).map((pod) => {
    const id = idOf(pod);
    const status = stringAt(pod, 'status') ?? '?';
    const end = status === 'ERROR' ? berth`pods terminate ${id}` : berth`pods stop ${id}`;
    const said = sentence`Still paid: pod ${labelOf(pod)}, ${isLocked(pod) ? 'locked' : status}, ${hourlyText([pod])}`;
    return isLocked(pod)
      ? sentence`${said}: ${berth`pods update ${id} --locked off`}, then ${end}`
      : sentence`${said}: ${end}`;
  });
  const more = paid.slice(MAX_NAMED);
  return more.length === 0
    ? lines
    : [...lines, `Still paid: ${countOf(more.length, 'more pod')}, ${hourlyText(more)}.`];
}
