import { type Json, type JsonObject, memberAt, stringAt } from '../../../core/json.ts';
import { formatTimestamp } from '../../../core/text/timestamp.ts';
import { errorOf } from '../../../cli/resource/several/outcomes.ts';
import { FAILURE } from '../../../cli/model/common-schemas.ts';
import { ANYTHING, manyOf, NUMBER, oneOf, ownObject, TEXT, TIME } from '../../../cli/model/output-schema.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { textColumn } from '../../../cli/resource/fields/detail-lines.ts';
import { text } from '../../../output/cells/cell-functions.ts';
import { idOf, type Cell, type View } from '../../../output/view.ts';
import { VERDICTS, type Decision } from '../../../guard/decide/decide.ts';
import { GUARD_ACTIONS, SUBJECTS } from '../../../guard/policy/rules.ts';
import { RESULTS, type Done } from './act.ts';
import type { EpochMs } from '../../../core/unit-types.ts';

/** A decision as `--json` prints it and the log keeps it. */
export function decisionRow(
  ctx: CommandContext,
  { kind, row, rule, verdict, action, why, held }: Decision,
  done: Done | undefined,
  now: EpochMs,
): JsonObject {
  const [name, status, startedAt] = ['name', 'status', 'startedAt'].map((member) => stringAt(row, member));
  return {
    at: formatTimestamp(now),
    kind,
    id: idOf(row),
    ...(name === undefined ? {} : { name }),
    ...(status === undefined ? {} : { status }),
    ...(startedAt === undefined ? {} : { startedAt }),
    rule,
    verdict,
    action,
    why,
    ...(held === undefined ? {} : { held }),
    ...(done === undefined ? {} : { result: done.result }),
    ...(done?.failure === undefined ? {} : { error: errorOf(done.failure, ctx.settings) }),
  };
}

export const DECISIONS = manyOf(
  ownObject(
    {
      at: { ...TIME, description: "the service's time" },
      kind: oneOf(...SUBJECTS),
      id: TEXT,
      rule: TEXT,
      verdict: {
        ...oneOf(...VERDICTS),
        description: 'over: a rule applies; exempt: and a lock, an exception or a snooze keeps it from that',
      },
      action: { ...oneOf(...GUARD_ACTIONS), description: 'what is done about it' },
      why: TEXT,
    },
    {
      name: TEXT,
      status: TEXT,
      startedAt: TEXT,
      held: { ...TEXT, description: 'why less is done than the rule says' },
      result: { ...oneOf(...RESULTS), description: 'what became of the action' },
      error: FAILURE,
      request: { ...ANYTHING, description: 'guard run --dry-run: the request that would be sent' },
      saved: { ...NUMBER, description: 'guard history with rules: US dollars that it cost after that' },
    },
  ),
);

/** Decisions as a table. What a person reads by is the name and the reason: the id is in the wide table, and in data. */
export const decisionView: View = {
  noun: ['decision', 'decisions'],
  id: text('id'),
  members: [
    ...['at', 'kind', 'id', 'name', 'status', 'startedAt', 'rule', 'verdict', 'action', 'why', 'held', 'result'],
    ...['error', 'saved', 'request'],
  ],
  columns: [
    { header: 'NAME', show: (row) => text('name')(row) || text('id')(row) },
    { header: 'DECISION', show: decisionCell, cutLast: true },
    {
      header: 'WHY',
      sentence: true,
      uncut: true,
      show: (row) => [text('held')(row), text('why')(row), text('error.message')(row)].filter(Boolean).join('; '),
    },
    textColumn('rule', { wide: true }),
    textColumn('id', { wide: true }),
    textColumn('kind', { wide: true }),
  ],
};

/** Decisions as a table: with ids, where several of these subjects have the name of a decision. */
export function decisionViewOf(rows: readonly Json[], subjects: readonly Json[]): View {
  const isShared = (name: string): boolean =>
    name !== '' && subjects.filter((row) => text('name')(row) === name).length > 1;
  if (!rows.some((row) => isShared(text('name')(row)))) return decisionView;
  const [name, ...others] = decisionView.columns.filter(({ header }) => header !== 'ID');
  return {
    ...decisionView,
    columns: [...(name === undefined ? [] : [name]), textColumn('id', { cutLast: true }), ...others],
  };
}

function decisionCell(row: Json): Cell {
  const result = memberAt(row, 'result');
  if (result === 'failed') return { text: `${text('action')(row)} failed`, tone: 'bad' };
  if (typeof result === 'string') return { text: result, tone: result === 'changed' ? 'warn' : 'good' };
  const verdict = text('verdict')(row);
  if (verdict !== 'over') return { text: verdict, tone: 'quiet' };
  return { text: text('action')(row), tone: memberAt(row, 'action') === 'report' ? 'warn' : 'bad' };
}
