import { arrayOf, isObject, type Json, numberOf, objectAt } from '../core/json.ts';
import { defineCommand } from '../cli/model/command.ts';
import { withNamedId } from '../cli/resource/targets.ts';
import { json, text } from '../output/cells.ts';
import { answerResult, type LiveFacts, type Section, type View } from '../output/view.ts';
import { healthRequest } from '../queue/requests.ts';
import { ENDPOINTS, QUEUE_ARGUMENT } from '../cli/resource/collections.ts';
import { formatRate, latestPerMinute, perMinute, valuesOf } from '../output/samples.ts';
import { textColumn } from '../cli/resource/fields.ts';
import { mapOf, NUMBER, serviceObject } from '../cli/model/output-schema.ts';

const LABELS: Readonly<Record<string, string>> = { inQueue: 'in queue', inProgress: 'in progress' };

export const healthView: View = {
  noun: ['health', 'health'],
  id: () => '',
  columns: [
    textColumn('jobs.inQueue', { right: true }),
    textColumn('jobs.inProgress', { right: true }),
    textColumn('jobs.completed', { right: true }),
    textColumn('jobs.failed', { right: true }),
    textColumn('jobs.retried', { right: true }),
    textColumn('workers.running', { right: true }),
    textColumn('workers.idle', { right: true }),
  ],
  live: liveHealth,
  detail: (row) => [countSection(row, 'jobs'), countSection(row, 'workers'), ...otherSections(row)],
};

/** Those of specification 4.5, detail 8, and any other. */
function countSection(row: Json, member: string): Section {
  const all = Object.keys(objectAt(row, member) ?? {});
  return {
    title: member,
    lines: all.map((name) => ({
      label: Object.hasOwn(LABELS, name) ? (LABELS[name] ?? name) : name,
      value: text(`${member}.${name}`)(row),
    })),
  };
}

/** Beside the sparkline: margin, label and number. */
const FIXED_COLUMNS = 40;

/** Shows the rate of counts that only grow. */
function liveHealth(row: Json, { samples, columns }: LiveFacts): readonly Section[] {
  const width = Math.max(0, Math.min(60, columns - FIXED_COLUMNS));
  const section = (member: string, most?: number): Section => ({
    title: member,
    lines: countSection(row, member).lines.map(({ label, value }, at) => {
      const path = `${member}.${Object.keys(objectAt(row, member) ?? {})[at] ?? ''}`;
      const grows = member === 'jobs' && !DEPTHS.includes(path);
      const rate = grows ? latestPerMinute(samples, path) : undefined;
      const count = typeof value === 'string' ? value : '';
      const history = grows ? perMinute(samples, path) : valuesOf(samples, path);
      const text = rate === undefined ? count : `${count}  ${formatRate(rate)}/min`;
      return {
        label,
        value: {
          gauges: [
            { text: text.padEnd(NUMBER_COLUMNS), history, columns: width, ...(most === undefined ? {} : { most }) },
          ],
        },
      };
    }),
  });
  const workers = samples.flatMap((sample) => Object.values(objectAt(sample.row, 'workers') ?? {}));
  return [
    section('jobs'),
    section('workers', Math.max(1, ...workers.map((count) => numberOf(count) ?? 0))),
    ...otherSections(row),
  ];
}

/** They go up and down. */
const DEPTHS = ['jobs.inQueue', 'jobs.inProgress'];

const NUMBER_COLUMNS = 15;

function otherSections(row: Json): Section[] {
  const others =
    isObject(row) && arrayOf(row) === undefined
      ? Object.keys(row).filter((name) => name !== 'jobs' && name !== 'workers')
      : [];
  return others.length === 0 ? [] : [{ lines: others.map((name) => ({ label: name, value: json(name)(row) })) }];
}

export const health = defineCommand({
  output: serviceObject({ jobs: mapOf(NUMBER), workers: mapOf(NUMBER) }),
  summary: "show an endpoint's jobs and workers at a glance",
  args: { endpoint: QUEUE_ARGUMENT },
  watch: true,
  examples: [
    ['berth health demo', 'jobs and workers now'],
    ['berth health demo --watch', 'queue depth and workers over time'],
  ],
  run: async (ctx, { endpoint }) => {
    const answer = await withNamedId(ctx, ENDPOINTS, endpoint, (id) => ctx.api.send(healthRequest(id)));
    return answerResult(healthView, answer);
  },
});
