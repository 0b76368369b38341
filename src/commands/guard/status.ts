import { EXIT } from '../../core/exit-codes.ts';
import { isObject, type Json, memberAt, numberAt, stringAt } from '../../core/json.ts';
import { berth, sentence } from '../../core/message.ts';
import type { EpochMs } from '../../core/unit-types.ts';
import { formatDuration, formatTimestamp } from '../../core/units.ts';
import { defineCommand } from '../../cli/model/command.ts';
import { manyOf, oneOf, orNull, ownObject, TEXT, TIME, YES_NO } from '../../cli/model/output-schema.ts';
import { PODS } from '../../cli/resource/collections.ts';
import { textColumn } from '../../cli/resource/fields.ts';
import { listRows } from '../../cli/resource/pages.ts';
import { countOf } from '../../cli/words.ts';
import { countingDeadlines, DEADLINE_ACTIONS, deadlineText } from '../../guard/deadline.ts';
import { exemptionOf } from '../../guard/decide.ts';
import { text } from '../../output/cells.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import { idOf, type View } from '../../output/view.ts';

const DEADLINE = ownObject(
  { pod: TEXT, name: TEXT, action: oneOf(...DEADLINE_ACTIONS), at: TIME, overdue: YES_NO },
  { exempt: { ...TEXT, description: 'what keeps every guard from it' } },
);

const isOverdue = (row: Json): boolean => memberAt(row, 'overdue') === true;

const view = (now: EpochMs): View => ({
  noun: ['deadline', 'deadlines'],
  id: (row) => text(row, 'pod'),
  members: ['pod', 'name', 'action', 'at', 'overdue', 'exempt'],
  columns: [
    textColumn('pod', { cutLast: true }),
    textColumn('name'),
    {
      header: 'DEADLINE',
      show: (row) => {
        const action = DEADLINE_ACTIONS.find((each) => each === memberAt(row, 'action')) ?? 'stop';
        const end = deadlineText({ action, at: Date.parse(text(row, 'at')) }, now);
        const exempt = text(row, 'exempt');
        return { text: exempt === '' ? end : `${end}; ${exempt}`, tone: isOverdue(row) ? 'bad' : 'plain' };
      },
      cutLast: true,
    },
  ],
});

export const status = defineCommand({
  summary: 'show the deadlines of pods, and when a guard last ran here',
  details:
    'For monitoring: it ends 15 when a deadline is overdue, because then no guard runs that could keep it. That of a pod that is locked or in a cluster is not overdue.',
  exits: [EXIT.limitExceeded],
  output: () => ownObject({ lastRun: orNull(TIME), deadlines: manyOf(DEADLINE) }),
  examples: [['berth guard status --json --jq .lastRun', 'when a guard of this machine last looked']],
  run: async (ctx) => {
    const { values: pods } = await listRows(ctx, PODS);
    const [now, kept] = [ctx.serviceNow(), await ctx.guard.read()];
    const sweptAt = isObject(kept) ? numberAt(kept, 'sweptAt') : undefined;
    const rows = pods
      .flatMap((pod) =>
        countingDeadlines(pod).map(({ action, at }): Json => {
          const exempt = exemptionOf(pod, now);
          const overdue = at <= now && exempt === undefined;
          const named = { pod: idOf(pod), name: stringAt(pod, 'name') ?? '' };
          return { ...named, action, at: formatTimestamp(at), overdue, ...(exempt !== undefined && { exempt }) };
        }),
      )
      .toSorted((a, b) => (text(a, 'at') < text(b, 'at') ? -1 : 1));
    const overdue = rows.filter(isOverdue).length;
    const lastRun =
      sweptAt === undefined
        ? sentence`No guard has run on this machine: ${berth`guard run --every 1m`}`
        : `A guard of this machine last ran ${formatDuration(Math.max(0, now - sweptAt))} ago.`;
    return {
      kind: 'many',
      view: view(now),
      values: rows,
      whole: {
        document: { lastRun: sweptAt === undefined ? null : formatTimestamp(sweptAt), deadlines: rows },
        member: 'deadlines',
      },
      notes: isTableOutput(ctx.output)
        ? [...(overdue === 0 ? [] : [`${countOf(overdue, 'deadline')} overdue.`]), lastRun]
        : [],
      exit: overdue === 0 ? EXIT.done : EXIT.limitExceeded,
    };
  },
});
