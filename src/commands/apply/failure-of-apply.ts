/** How an apply failed, and what goes on being paid then. */
import type { Failure } from '../../core/failure.ts';
import { isInterrupt } from '../../core/failure.ts';
import { berth, lines, sentence, type Message } from '../../core/message.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { labelOf as labelOfRow } from '../../cli/resource/choose.ts';
import { combinedFailure } from '../../cli/resource/several/combined-failure.ts';
import { idOf } from '../../output/view.ts';
import { knownOf } from '../plan/cost.ts';
import { stillPaidLines } from '../pods/actions/cost.ts';
import { rateText } from '../shared/rate/hourly-cost.ts';
import { labelOf } from './apply-item.ts';
import { costNow, type Outcome } from './outcome.ts';
import { goOnLines } from './wait.ts';

/**
 * The failures of an apply as one; undefined if nothing failed. Its hint names what is paid: new things that are not ready, and after
 * an interrupt all that was made.
 */
export function failureOf(ctx: CommandContext, outcomes: readonly Outcome[]): Failure | undefined {
  const failure = combinedFailure(outcomes.map((each) => ({ id: labelOf(each.planned), failure: each.failure })));
  if (failure === undefined) return undefined;
  const reason: unknown = ctx.signal.reason;
  const interrupt = isInterrupt(reason) ? reason : undefined;
  const paid = outcomes.filter(({ done, failure: own }) => {
    return done !== undefined && (own !== undefined || (interrupt !== undefined && done.action === 'create'));
  });
  const hint = lines(failure.hint, ...goOnLines(outcomes), ...paidLines(paid));
  if (interrupt === undefined) return failure.with({ hint });
  const { code, exit, message } = interrupt;
  const done = outcomes.filter((each) => each.done !== undefined).length;
  // The failure of a single thing says itself what was interrupted.
  const counted =
    outcomes.length === 1 ? {} : { message: `${message}: ${done} of ${outcomes.length} are as the files say` };
  return failure.with({ hint, code, exit, ...counted });
}

/** What is paid, each with the command that ends it. */
function paidLines(outcomes: readonly Outcome[]): readonly Message[] {
  const ofKind = (name: string): readonly Outcome[] =>
    outcomes.filter(({ planned }) => planned.document.kind.name === name);
  const pods = ofKind('pod').flatMap(({ done }) => (done === undefined ? [] : [done.row]));
  return [
    ...ofKind('volume').flatMap((each) => paidLine(each, (id) => berth`volumes delete ${id}`)),
    ...ofKind('endpoint').flatMap((each) => paidLine(each, (id) => berth`endpoints update ${id} --workers-min 0`)),
    ...stillPaidLines(pods),
  ];
}

/** `Still paid: endpoint ep-1 (api), $2.24 an hour: berth endpoints update ep-1 --workers-min 0`; none for what costs nothing. */
function paidLine(outcome: Outcome, end: (id: string) => Message): readonly Message[] {
  const [cost, { row = null } = {}] = [costNow(outcome), outcome.done];
  if (cost.perHour === 0) return [];
  const rate = rateText({
    total: knownOf(cost),
    unknown: cost.perHour === undefined ? ['its price is not known'] : [],
  });
  const { name } = outcome.planned.document.kind;
  return [sentence`Still paid: ${name} ${labelOfRow(row)}, ${rate}: ${end(idOf(row))}`];
}
