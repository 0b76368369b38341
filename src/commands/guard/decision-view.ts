import { type Json, type JsonObject, memberAt, stringAt } from '../../core/json.ts';
import { formatTimestamp } from '../../core/units.ts';
import type { EpochMs } from '../../core/unit-types.ts';
import { FAILURE } from '../../cli/model/common-schemas.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { ANYTHING, manyOf, oneOf, ownObject, TEXT, TIME } from '../../cli/model/output-schema.ts';
import { textColumn } from '../../cli/resource/fields.ts';
import { errorOf } from '../../cli/resource/several.ts';
import { text } from '../../output/cells.ts';
import { type Cell, idOf, type View } from '../../output/view.ts';
import { GUARD_ACTIONS, RULES, VERDICTS, type Decision } from '../../guard/decide.ts';
import { RESULTS, type Done } from './act.ts';

/** `now` is the service's time. */
export function decisionRow(
  ctx: CommandContext,
  { pod, rule, verdict, action, why, held }: Decision,
  done: Done | undefined,
  now: EpochMs,
): JsonObject {
  const members = ['name', 'status', 'startedAt'].flatMap((member) => {
    const value = stringAt(pod, member);
    return value === undefined ? [] : [[member, value] as const];
  });
  return {
    at: formatTimestamp(now),
    id: idOf(pod),
    ...Object.fromEntries(members),
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
      id: TEXT,
      rule: oneOf(...RULES),
      verdict: {
        ...oneOf(...VERDICTS),
        description: 'over: a rule applies; exempt: one applies, and a lock or a cluster exempts the pod',
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
      request: { ...ANYTHING, description: 'with --dry-run: the request that would be sent' },
    },
  ),
);

export const decisionView: View = {
  noun: ['decision', 'decisions'],
  id: text('id'),
  members: [
    ...['at', 'id', 'name', 'status', 'startedAt', 'rule', 'verdict', 'action', 'why', 'held', 'result', 'error'],
    'request',
  ],
  columns: [
    { header: 'NAME', show: (row) => text('name')(row) || text('id')(row) },
    { header: 'DECISION', show: decisionCell, cutLast: true },
    {
      header: 'WHY',
      wraps: true,
      show: (row) => [text('held')(row), text('why')(row), text('error.message')(row)].filter(Boolean).join('; '),
    },
    textColumn('rule', { wide: true }),
    textColumn('id', { wide: true }),
  ],
};

function decisionCell(row: Json): Cell {
  const result = memberAt(row, 'result');
  if (result === 'failed') return { text: `${text('action')(row)} failed`, tone: 'bad' };
  if (typeof result === 'string') return { text: result, tone: result === 'changed' ? 'warn' : 'good' };
  const verdict = text('verdict')(row);
  if (verdict !== 'over') return { text: verdict, tone: 'quiet' };
  return { text: text('action')(row), tone: memberAt(row, 'action') === 'report' ? 'warn' : 'bad' };
}
