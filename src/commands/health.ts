import { arrayOf, isObject, memberAt, objectOf, type Json } from '../core/json.ts';
import { defineCommand } from '../cli/command.ts';
import { sendTo } from '../cli/resource/identify.ts';
import { arg } from '../cli/parse/params.ts';
import { json, text } from '../output/layout/cells.ts';
import type { Section, View } from '../output/view.ts';
import { healthRequest } from '../queue/requests.ts';
import { ENDPOINTS } from './shared/collections.ts';

/** Labels of members; a member without one is shown by its name. */
const LABELS: Readonly<Record<string, string>> = { inQueue: 'in queue', inProgress: 'in progress' };

const healthView: View = {
  noun: ['health', 'health'],
  id: () => '',
  columns: [
    { header: 'IN QUEUE', show: text('jobs.inQueue'), right: true },
    { header: 'IN PROGRESS', show: text('jobs.inProgress'), right: true },
    { header: 'COMPLETED', show: text('jobs.completed'), right: true },
    { header: 'FAILED', show: text('jobs.failed'), right: true },
    { header: 'RETRIED', show: text('jobs.retried'), right: true },
    { header: 'RUNNING', show: text('workers.running'), right: true },
    { header: 'IDLE', show: text('workers.idle'), right: true },
  ],
  detail: (row) => [countSection(row, 'jobs'), countSection(row, 'workers'), ...otherSections(row)],
};

/** Returns a section with every count under a member: those of specification 4.5, detail 8, and any other. */
function countSection(row: Json, member: string): Section {
  const all = Object.keys(objectOf(memberAt(row, member)) ?? {});
  return {
    title: member,
    lines: all.map((name) => ({
      label: Object.hasOwn(LABELS, name) ? (LABELS[name] ?? name) : name,
      value: text(`${member}.${name}`)(row),
    })),
  };
}

/** Returns a section with the members other than `jobs` and `workers`. */
function otherSections(row: Json): Section[] {
  const others =
    isObject(row) && arrayOf(row) === undefined
      ? Object.keys(row).filter((name) => name !== 'jobs' && name !== 'workers')
      : [];
  return others.length === 0 ? [] : [{ lines: others.map((name) => ({ label: name, value: json(name)(row) })) }];
}

export const health = defineCommand({
  summary: "show an endpoint's jobs and workers at a glance",
  args: { endpoint: arg.text('endpoint id, name or model slug', { complete: ENDPOINTS }) },
  watch: true,
  examples: [
    ['berth health demo', 'jobs and workers now'],
    ['berth health demo --watch', 'look again every 2 seconds until Ctrl-C'],
  ],
  run: async (ctx, { endpoint }) => {
    const { answer } = await sendTo(ctx, ENDPOINTS, endpoint, healthRequest);
    return { kind: 'one', view: healthView, value: answer.value ?? null, source: answer.text };
  },
});
