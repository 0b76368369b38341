/** What an apply prints: an outcome for each document, notes, and how it failed with what goes on being paid. */
import { type Failure, isInterrupt } from '../../core/failure.ts';
import { type Json, type JsonObject, memberAt, stringAt } from '../../core/json.ts';
import { berth, lines, type Message, sentence } from '../../core/message.ts';
import { FAILURE } from '../../cli/model/common-schemas.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { manyOf, NUMBER, oneOf, orNull, ownObject, TEXT, YES_NO } from '../../cli/model/output-schema.ts';
import { labelOf as labelOfRow } from '../../cli/resource/choose.ts';
import { textColumn } from '../../cli/resource/fields.ts';
import { combinedFailure, errorOf } from '../../cli/resource/several.ts';
import { ACTIONS } from '../../fleet/model.ts';
import { text } from '../../output/cells.ts';
import { type Cell, idOf, type View } from '../../output/view.ts';
import { knownOf, type Cost } from '../plan/cost.ts';
import { KINDS } from '../plan/kinds.ts';
import { costSentence, credentialsNote, keptNotes, unpricedNote } from '../plan/rows.ts';
import { stillPaidLines } from '../pods/action-cost.ts';
import { rateText } from '../../cli/money/hourly-cost.ts';
import { labelOf } from './apply-item.ts';
import { costNow, type Outcome } from './outcome.ts';
import { goOnLines } from './wait.ts';

export const APPLIED = manyOf(
  ownObject(
    {
      action: {
        ...oneOf(...ACTIONS),
        description: 'what was done, or was to be done where done is false; none: it was as described',
      },
      kind: oneOf(...KINDS),
      name: TEXT,
      ok: YES_NO,
      done: { ...YES_NO, description: 'whether it was done; true beside ok false: it was made, and is not ready' },
      costBefore: { ...orNull(NUMBER), description: 'US dollars an hour; null: not known' },
      costAfter: { ...orNull(NUMBER), description: 'US dollars an hour; null: not known' },
    },
    { id: TEXT, error: FAILURE },
  ),
);

const DONE = {
  none: 'as described',
  create: 'created',
  update: 'changed',
  delete: 'removed',
} as const;

function resultCell(row: Json): Cell {
  const done = DONE[text('action')(row) as keyof typeof DONE];
  if (memberAt(row, 'ok') === true) return { text: done, tone: 'good' };
  if (memberAt(row, 'done') === true) return { text: done, tone: 'bad' };
  const code = stringAt(row, 'error.code');
  if (code === 'not-sent') return { text: 'not sent', tone: 'quiet' };
  return { text: code === 'outcome-unknown' ? 'not known' : 'failed', tone: 'bad' };
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
    { header: 'ERROR', show: text('error.message') },
  ],
};

/** A row of what an apply did. */
export function rowOf(ctx: CommandContext, outcome: Outcome): JsonObject {
  const { planned, done, failure } = outcome;
  const { document, item, row } = planned;
  const cost = costOfOutcome(outcome);
  const id = idOf(done?.row ?? row ?? null) || (failure?.id ?? '');
  return {
    action: done?.action ?? item.action,
    kind: document.kind.name,
    name: document.name,
    ...(id === '' ? {} : { id }),
    ok: failure === undefined,
    done: done !== undefined,
    costBefore: cost.before.perHour ?? null,
    costAfter: cost.after.perHour ?? null,
    ...(failure === undefined ? {} : { error: errorOf(failure, ctx.settings) }),
  };
}

export function notesOf(outcomes: readonly Outcome[]): readonly Message[] {
  if (outcomes.length === 0) return ['The files hold no document.'];
  const counts = (['create', 'update', 'delete', 'none'] as const).flatMap((action) => {
    const count = outcomes.filter(({ done }) => done?.action === action).length;
    return count === 0 ? [] : [`${count} ${DONE[action]}`];
  });
  const costs = outcomes.map(costOfOutcome);
  const isSame = outcomes.every(({ done }) => done?.action === 'none');
  if (counts.length === 0 && costs.every(({ before, after }) => before.perHour === after.perHour)) return [];
  const counted = counts.length === 0 ? [] : [`${counts.join(', ')}.`];
  return [
    [...counted, ...(isSame ? [] : [costSentence(costs)])].join(' '),
    ...(isSame ? [] : [...unpricedNote(costs), ...keptNotes(costs)]),
    ...credentialsNote(outcomes.map(({ planned }) => planned)),
  ];
}

const costOfOutcome = (outcome: Outcome): Cost => ({ before: outcome.planned.cost.before, after: costNow(outcome) });

/** Undefined if nothing failed. Its hint names what costs money: unready things, after an interrupt all. */
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
  const counted =
    outcomes.length === 1 ? {} : { message: `${message}: ${done} of ${outcomes.length} are as the files say` };
  return failure.with({ hint, code, exit, ...counted });
}

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

/** `Still paid: endpoint ep-1 (api), $2.24 an hour: berth ...`; none for what costs nothing. */
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
