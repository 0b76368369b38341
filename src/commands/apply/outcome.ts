/** What an apply came to for one document: what was done, why it failed, and what is there and paid now. */
import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { numberAt, type Json } from '../../core/json.ts';
import { aboutOne } from '../../core/message.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import type { Amount, Cost } from '../plan/cost.ts';
import type { Planned } from '../plan/planned.ts';

/** What was done about a document, and the thing as it is now. */
export interface Done {
  readonly action: 'none' | 'create' | 'update' | 'delete';
  readonly row: Json;
}

/** The outcome of one document. What was made and is not ready has both. */
export type Outcome = { readonly planned: Planned } & (
  | { readonly done: Done; readonly failure?: Failure | undefined }
  | { readonly done?: undefined; readonly failure: Failure }
);

/** A failure after which something else is there than before the apply. */
export class PartlyDone extends Failure {
  readonly known: { readonly done: Done } | { readonly done?: undefined; readonly after: Amount };

  /** `known` is what was done before it failed, or what the thing costs now. */
  constructor(failure: Failure, known: PartlyDone['known']) {
    super({ ...failure.facts(), hint: aboutOne(failure.hint) }, failure.cause);
    this.known = known;
  }
}

/** Whether a write may have been done although it failed: it was sent, and no answer came, or the interrupt came before it. */
const isUnanswered = ({ signal }: CommandContext, failure: Failure): boolean =>
  failure.exit === EXIT.unknown || (signal.aborted && failure !== signal.reason);

/** The outcome of what failed. */
export function failedOutcome(ctx: CommandContext, planned: Planned, failure: Failure): Outcome {
  if (failure instanceof PartlyDone) {
    const { done } = failure.known;
    return done === undefined ? { planned, failure } : { planned, done, failure };
  }
  if (!isUnanswered(ctx, failure)) return { planned, failure };
  const message = ctx.signal.aborted ? `${failure.message}: it was sent, and no answer came` : failure.message;
  return { planned, failure: failure.with({ code: 'outcome-unknown', message }) };
}

/** What a thing costs whose change has no answer: not known where the change would have another cost. */
const unansweredCost = ({ before, after }: Cost): Amount =>
  before.perHour === after.perHour ? before : { perHour: undefined };

/** What is there of a document costs now, as a plan made right afterwards says. */
export function costNow({ planned: { document, item, cost }, done, failure }: Outcome): Amount {
  if (failure instanceof PartlyDone && failure.known.done === undefined) return failure.known.after;
  if (done === undefined) return failure.code === 'outcome-unknown' ? unansweredCost(cost) : cost.before;
  const hasOwnPrice = document.kind.name === 'pod' && (item.action === 'create' || item.action === 'update');
  return { ...cost.after, perHour: (hasOwnPrice ? numberAt(done.row, 'cost') : undefined) ?? cost.after.perHour };
}
