import { type Json, objectAt } from '../core/json.ts';
import { defineCommand } from '../cli/model/command.ts';
import { withId } from '../cli/resource/targets.ts';
import { text } from '../output/cells.ts';
import { answerResult, type Section, type View } from '../output/view.ts';
import { healthRequest } from '../queue/requests.ts';
import { queueArgument } from '../cli/resource/arguments.ts';
import { ENDPOINTS } from '../cli/resource/collections.ts';
import { memberLabel, otherMembers, textColumn } from '../cli/resource/fields.ts';
import { mapOf, NUMBER, serviceObject } from '../cli/model/output-schema.ts';

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
  detail: (row) =>
    [countSection(row, 'jobs'), countSection(row, 'workers'), { lines: otherMembers(row, ['jobs', 'workers']) }].filter(
      ({ lines }) => lines.length > 0,
    ),
};

/** Those of specification 4.5, detail 8, and any other. */
const countSection = (row: Json, member: string): Section => ({
  title: member,
  lines: Object.keys(objectAt(row, member) ?? {}).map((name) => ({
    label: memberLabel(name),
    value: text(row, `${member}.${name}`),
  })),
});

export const health = defineCommand({
  output: () => serviceObject({ jobs: mapOf(NUMBER), workers: mapOf(NUMBER) }),
  summary: "show an endpoint's jobs and workers at a glance",
  args: { endpoint: queueArgument() },
  watch: true,
  examples: [
    ['berth health demo', 'jobs and workers now'],
    ['berth health demo --watch', 'queue depth and workers over time'],
  ],
  run: async (ctx, { endpoint }) => {
    const answer = await withId(ctx, ENDPOINTS, endpoint, (id) => ctx.api.send(healthRequest(id)), {
      nameFirst: true,
    });
    return answerResult(healthView, answer);
  },
});
