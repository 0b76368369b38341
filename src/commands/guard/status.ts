import { EXIT } from '../../core/exit-codes.ts';
import { type Json, memberAt, numberAt, stringAt } from '../../core/json.ts';
import { costOver, formatDollars, formatTimestamp } from '../../core/units.ts';
import type { EpochMs } from '../../core/unit-types.ts';
import { defineCommand } from '../../cli/model/command.ts';
import { manyOf, NUMBER, oneOf, orNull, ownObject, TEXT, TIME, YES_NO } from '../../cli/model/output-schema.ts';
import { textColumn } from '../../cli/resource/fields.ts';
import { listRows } from '../../cli/resource/requests.ts';
import { countOf } from '../../cli/words.ts';
import { money, text } from '../../output/cells.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import { idOf, type View } from '../../output/view.ts';
import {
  countingDeadlines,
  DEADLINE_ACTIONS,
  deadlineText,
  waitingDeadline,
  waitingText,
} from '../../guard/deadline.ts';
import { exemptionOf } from '../../guard/decide.ts';
import { PODS } from '../../cli/resource/collections.ts';
import { lastRunLine, readLastRun } from './last-run.ts';

const POD = { pod: TEXT, name: TEXT, action: oneOf(...DEADLINE_ACTIONS) };

const DEADLINE = ownObject(
  { ...POD, at: TIME, overdue: YES_NO },
  {
    exempt: { ...TEXT, description: 'what keeps every guard from it' },
    lateCost: { ...NUMBER, description: 'US dollars that it cost since it was over' },
  },
);

const WAITING = {
  ...manyOf(ownObject({ ...POD, after: TEXT })),
  description: 'those of pods that are being started again: they count from when these run',
};

const podOf = (pod: Json) => ({ pod: idOf(pod), name: stringAt(pod, 'name') ?? '' });

const countingRows = (pod: Json, now: EpochMs): readonly Json[] =>
  countingDeadlines(pod).map(({ action, at }): Json => {
    const cost = numberAt(pod, 'cost');
    const exempt = exemptionOf(pod, now);
    const isOverdue = at <= now && exempt === undefined;
    return {
      ...podOf(pod),
      action,
      at: formatTimestamp(at),
      overdue: isOverdue,
      ...(exempt === undefined ? {} : { exempt }),
      ...(isOverdue && cost !== undefined ? { lateCost: costOver(cost, now - at) } : {}),
    };
  });

const view = (now: EpochMs): View => ({
  noun: ['deadline', 'deadlines'],
  id: text('pod'),
  members: ['pod', 'name', 'action', 'at', 'overdue', 'exempt', 'lateCost'],
  columns: [
    textColumn('pod', { cutLast: true }),
    textColumn('name'),
    {
      header: 'DEADLINE',
      show: (row) => {
        const isOver = memberAt(row, 'overdue') === true;
        const action = DEADLINE_ACTIONS.find((each) => each === memberAt(row, 'action')) ?? 'stop';
        const end = deadlineText({ action, at: Date.parse(text('at')(row)) }, now);
        const exempt = text('exempt')(row);
        return { text: exempt === '' ? end : `${end}; ${exempt}`, tone: isOver ? 'bad' : 'plain' };
      },
      cutLast: true,
    },
    { header: 'LATE COST', show: money('lateCost'), right: true },
  ],
});

export const status = defineCommand({
  summary: 'show the deadlines of pods, and when a guard last ran here',
  details:
    'For monitoring: it ends 15 when a deadline is overdue, because then no guard runs that could keep it. That of a pod that is locked or in a cluster is not overdue.',
  exits: [EXIT.limitExceeded],
  output: ownObject({ lastRun: orNull(TIME), deadlines: manyOf(DEADLINE), waiting: WAITING }),
  examples: [['berth guard status --json --jq .lastRun', 'when a guard of this machine last looked']],
  run: async (ctx) => {
    const { values: pods } = await listRows(ctx, PODS);
    const [now, sweptAt] = [ctx.serviceNow(), await readLastRun(ctx)];
    const rows = pods
      .flatMap((pod) => countingRows(pod, now))
      .toSorted((a, b) => (text('at')(a) < text('at')(b) ? -1 : 1));
    const waiting = pods.flatMap((pod) => {
      const found = waitingDeadline(pod);
      return found === undefined ? [] : [{ ...podOf(pod), action: found.action, after: found.given }];
    });
    const overdue = rows.filter((row) => memberAt(row, 'overdue') === true);
    // A pod's hours count once, even if both of its deadlines are overdue.
    const lateByPod = new Map<string, number>();
    for (const row of overdue) {
      const pod = stringAt(row, 'pod') ?? '';
      lateByPod.set(pod, Math.max(lateByPod.get(pod) ?? 0, numberAt(row, 'lateCost') ?? 0));
    }
    const late = [...lateByPod.values()].reduce((sum, cost) => sum + cost, 0);
    return {
      kind: 'many',
      view: view(now),
      values: rows,
      whole: {
        document: { lastRun: sweptAt === undefined ? null : formatTimestamp(sweptAt), deadlines: rows, waiting },
        member: 'deadlines',
      },
      notes: isTableOutput(ctx.output)
        ? [
            ...(overdue.length === 0
              ? []
              : [`${countOf(overdue.length, 'deadline')} overdue, which cost ${formatDollars(late)}.`]),
            ...waiting.map(({ name, action, after }) => `${name} is being started: ${waitingText(action, after)}.`),
            lastRunLine(
              sweptAt,
              now,
              (sweptAt === undefined ? rows : overdue).some((row) => memberAt(row, 'action') === 'terminate'),
            ),
          ]
        : [],
      exit: overdue.length === 0 ? EXIT.done : EXIT.limitExceeded,
    };
  },
});
