/** What an apply came to for one document: what was done, why it failed, and what is there and paid now. */

import type { CommandContext } from '../../cli/model/context.ts';
import type { Amount, Cost } from '../plan/cost.ts';
import type { Planned } from '../plan/planned.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { type Json, numberAt } from '../../core/json.ts';
import { aboutOne } from '../../core/message.ts';

export interface Done {
  readonly action: 'none' | 'create' | 'update' | 'delete';
  readonly row: Json;
  /** Of a create: its answer came, so this run made it. */
  readonly isAnswered?: boolean;
}

/** Both members if something was made but is not ready. */
export type Outcome = { readonly planned: Planned } & (
  | { readonly done: Done; readonly failure?: Failure | undefined }
  | { readonly done?: undefined; readonly failure: Failure }
);

/** The failed apply changed something. */
export class PartlyDone extends Failure {
  readonly known: { readonly done: Done } | { readonly done?: undefined; readonly after: Amount };

  /** `known`: what was done before it failed, or what the thing costs now. */
  constructor(failure: Failure, known: PartlyDone['known']) {
    super({ ...failure.facts(), hint: aboutOne(failure.hint) }, failure.cause);
    this.known = known;
  }
}

/** Sent without an answer, or interrupted before the answer: the write may have been done. */
const isUnanswered = ({ signal }: CommandContext, failure: Failure): boolean =>
  failure.exit === EXIT.unknown || (signal.aborted && failure !== signal.reason);

export function failedOutcome(ctx: CommandContext, planned: Planned, failure: Failure): Outcome {
  if (failure instanceof PartlyDone) {
    const { done } = failure.known;
    return done === undefined ? { planned, failure } : { planned, done, failure };
  }
  if (!isUnanswered(ctx, failure)) return { planned, failure };
  const message = ctx.signal.aborted ? `${failure.message}: it was sent, and no answer came` : failure.message;
  return { planned, failure: failure.with({ code: 'outcome-unknown', message }) };
}

/** Unknown if the change would have another cost. */
const unansweredCost = ({ before, after }: Cost): Amount =>
  before.perHour === after.perHour ? before : { perHour: undefined };

/** As a plan made right afterwards says. */
export function costNow({ planned: { document, item, cost }, done, failure }: Outcome): Amount {
  if (failure instanceof PartlyDone && failure.known.done === undefined) return failure.known.after;
  if (done === undefined) return failure.code === 'outcome-unknown' ? unansweredCost(cost) : cost.before;
  const hasOwnPrice = document.kind.name === 'pod' && (item.action === 'create' || item.action === 'update');
  return { ...cost.after, perHour: (hasOwnPrice ? numberAt(done.row, 'cost') : undefined) ?? cost.after.perHour };
}
