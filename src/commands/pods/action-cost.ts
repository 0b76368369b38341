import { podsRate, rateWithUnknown } from '../../cli/money/hourly-cost.ts';
import { labelOf } from '../../cli/resource/choose.ts';
import { countOf } from '../../cli/words.ts';
import { isLocked } from './resource.ts';
import { type Json, numberAt, stringAt } from '../../core/json.ts';
import { berth, type Message, sentence } from '../../core/message.ts';
import { idOf } from '../../output/view.ts';

/** Says if the cost of some of them is unknown. */
const hourlyText = (pods: readonly Json[]): string => rateWithUnknown(podsRate(pods));

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
