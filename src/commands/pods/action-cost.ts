import type { CommandContext } from '../../cli/model/context.ts';
import { accountLine } from '../../cli/money/account-line.ts';
import { keptDisks, podsRate, rateWithUnknown, wipesDisks } from '../../cli/money/hourly-cost.ts';
import { labelOf } from '../../cli/resource/choose.ts';
import { countOf } from '../../cli/words.ts';
import { savedDisks } from '../billing/facts.ts';
import { costUntilStopped } from './price.ts';
import { lacksHardware } from './reachable.ts';
import { type Json, memberAt, numberAt, objectOf, stringAt } from '../../core/json.ts';
import { berth, type Message, sentence } from '../../core/message.ts';
import { idOf } from '../../output/view.ts';

export const isLocked = (pod: Json): boolean => memberAt(pod, 'locked') === true;

/** Says if the cost of some of them is unknown. */
const hourlyText = (pods: readonly Json[]): string => rateWithUnknown(podsRate(pods));

export async function totalOf(pods: readonly Json[], ctx: CommandContext | undefined): Promise<string> {
  const locked = pods.filter(isLocked).length;
  const own = `${countOf(pods.length, 'pod')}, ${hourlyText(pods)}${locked === 0 ? '' : `, ${locked} locked`}`;
  return ctx === undefined ? own : `${own}. ${await accountLine(ctx)}`;
}

const savingOf = (pods: readonly Json[]): string => `It saves ${formatSaving(pods)}.`;

/** Without the disks of stopped pods, which have their own sentence. */
const formatSaving = (pods: readonly Json[]): string =>
  hourlyText(pods.map((pod) => ({ ...objectOf(pod), mounts: null })));

export const effectOfStop = (pods: readonly Json[]): string =>
  [savingOf(pods), wipesDisks(pods), keptDisks(pods)].filter((line) => line !== undefined).join(' ');

/** Disks of stopped pods by the last bill. */
export const savingOfEnd = async (ctx: CommandContext, pods: readonly Json[]): Promise<string> =>
  [savingOf(pods), await savedDisks(ctx, pods)].filter((line) => line !== undefined).join(' ');

/** Names pods that started without their GPU (additions 6): paid for and useless. Not with --quiet. */
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

const MAX_NAMED = 10;

/** Each with the command that ends it. */
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
