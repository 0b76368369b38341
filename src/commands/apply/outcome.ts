/** How an apply went with each document, and how that is printed. */
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, isInterrupt } from '../../core/failure.ts';
import { type Json, type JsonObject, memberAt, numberAt, stringAt } from '../../core/json.ts';
import { lines, type Message } from '../../core/message.ts';
import { FAILURE } from '../../cli/model/common-schemas.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { manyOf, NUMBER, oneOf, orNull, ownObject, TEXT, YES_NO } from '../../cli/model/output-schema.ts';
import { ofPod, perHour, sum } from '../../cli/money.ts';
import { textColumn } from '../../cli/resource/fields.ts';
import { combinedFailure, errorOf } from '../../cli/resource/several.ts';
import { ACTIONS } from '../../fleet/model.ts';
import { text } from '../../output/cells.ts';
import { type Cell, idOf, type View } from '../../output/view.ts';
import { dollarsOf, type ItemCost } from '../plan/cost.ts';
import { KINDS } from '../plan/kinds.ts';
import type { Planned } from '../plan/planned.ts';
import { summary } from '../plan/plan-view.ts';
import { labelOf } from './write.ts';

export interface Outcome {
  readonly planned: Planned;
  readonly action: 'none' | 'create' | 'update' | 'delete';
  /** What is there now; undefined where nothing was done. With a failure beside it: made, and not ready. */
  readonly row?: Json;
  /** Of a create: its answer came, so this run made it. */
  readonly isAnswered?: boolean;
  readonly failure?: Failure | undefined;
}

export const APPLIED = manyOf(
  ownObject(
    {
      action: { ...oneOf(...ACTIONS), description: 'what was done, or was to be done where done is false' },
      kind: oneOf(...KINDS),
      name: TEXT,
      ok: YES_NO,
      done: { ...YES_NO, description: 'true beside ok false: it was made, and is not ready' },
      costBefore: { ...orNull(NUMBER), description: 'US dollars an hour; null: unknown' },
      costAfter: { ...orNull(NUMBER), description: 'US dollars an hour; null: unknown' },
    },
    { id: TEXT, error: FAILURE },
  ),
);

const DONE = { create: 'created', update: 'changed', delete: 'removed', none: 'unchanged' } as const;

function resultCell(row: Json): Cell {
  const done = DONE[text('action')(row) as keyof typeof DONE];
  if (memberAt(row, 'ok') === true) return { text: done, tone: done === 'unchanged' ? 'quiet' : 'good' };
  if (memberAt(row, 'done') === true) return { text: done, tone: 'bad' };
  const code = stringAt(row, 'error.code');
  if (code === 'not-sent') return { text: 'not sent', tone: 'quiet' };
  return { text: code === 'outcome-unknown' ? 'unknown' : 'failed', tone: 'bad' };
}

export const appliedView: View = {
  noun: ['thing', 'things'],
  id: text('id'),
  members: ['action', 'kind', 'name', 'id', 'ok', 'done', 'costBefore', 'costAfter', 'error'],
  columns: [
    { header: 'RESULT', show: resultCell, cutLast: true },
    textColumn('kind', { cutLast: true }),
    textColumn('name', { cutLast: true }),
    textColumn('id'),
    { header: 'ERROR', show: text('error.message'), wraps: true },
  ],
};

/** Unknown where an answer was lost and the change would have another cost. A pod says itself what it costs. */
function costOf({ planned: { document, item, cost }, row, failure }: Outcome): ItemCost {
  const { before, after } = cost;
  if (row === undefined) {
    const isUnknown = failure?.code === 'outcome-unknown' && dollarsOf(before) !== dollarsOf(after);
    return { before, after: isUnknown ? { hourly: undefined, besides: [] } : before };
  }
  const hasOwnPrice = document.kind.name === 'pod' && item.action !== 'delete' && numberAt(row, 'cost') !== undefined;
  return { before, after: hasOwnPrice ? { ...after, hourly: ofPod(row).hourly } : after };
}

export function rowOf({ settings }: Pick<CommandContext, 'settings'>, outcome: Outcome): JsonObject {
  const { planned, action, row, failure } = outcome;
  const { before, after } = costOf(outcome);
  const id = idOf(row ?? planned.row ?? null) || (failure?.id ?? '');
  return {
    action: row === undefined ? planned.item.action : action,
    kind: planned.document.kind.name,
    name: planned.document.name,
    ...(id === '' ? {} : { id }),
    ok: failure === undefined,
    done: row !== undefined,
    costBefore: dollarsOf(before),
    costAfter: dollarsOf(after),
    ...(failure === undefined ? {} : { error: errorOf(failure, settings) }),
  };
}

export const notesOf = (outcomes: readonly Outcome[]): readonly Message[] =>
  summary(
    outcomes.flatMap(({ row, action }) => (row === undefined ? [] : [action])),
    DONE,
    outcomes.map(costOf),
  );

/** Undefined if nothing failed. Its hint names what was created all the same, and what that costs. */
export function failureOf({ signal }: CommandContext, outcomes: readonly Outcome[]): Failure | undefined {
  const failure = combinedFailure(outcomes.map((each) => ({ id: labelOf(each.planned), failure: each.failure })));
  if (failure === undefined) return undefined;
  const made = outcomes.filter(({ action, row }) => action === 'create' && row !== undefined);
  const names = made.map((each) => `${labelOf(each.planned)} (${idOf(each.row ?? null)})`);
  const paid = `Created and billed: ${names.join(', ')}, ${perHour(sum(made.map((each) => costOf(each).after)))}`;
  const hint = lines(failure.hint, made.length === 0 ? undefined : paid);
  const reason: unknown = signal.reason;
  if (!isInterrupt(reason)) return failure.with({ hint });
  const { code, exit, message } = reason;
  const done = outcomes.filter(({ row }) => row !== undefined).length;
  return failure.with({ hint, code, exit, message: `${message}: ${done} of ${outcomes.length} done` });
}

/** After a failure, or an interrupt, what comes later is not sent. */
export const notSent = (before: Failure): Failure =>
  new Failure({
    code: 'not-sent',
    exit: before.exit,
    message: isInterrupt(before) ? 'not done: interrupted before' : 'not done: something before it failed',
  });

/** Sent without an answer, or interrupted before the answer: the write may have been done. */
export const withUnknown = ({ signal }: CommandContext, failure: Failure): Failure =>
  failure.exit === EXIT.unknown || (signal.aborted && failure !== signal.reason)
    ? failure.with({ code: 'outcome-unknown' })
    : failure;
