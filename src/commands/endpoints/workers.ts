import { arrayOf, memberAt, numberOf, objectOf, stringOf, type Json } from '../../core/json.ts';
import { defineCommand } from '../../cli/command.ts';
import type { CommandContext } from '../../cli/context.ts';
import { sendTo } from '../../cli/resource/identify.ts';
import { arg } from '../../cli/parse/params.ts';
import { countOf } from '../../cli/words.ts';
import { age, duration, status, text, yesNo } from '../../output/layout/cells.ts';
import type { Cell, Shown, View } from '../../output/view.ts';
import { ENDPOINTS } from '../shared/collections.ts';

/** A worker of an older release, until it is replaced (contract rules, Serverless). */
const stale = (row: Json): Cell => ({
  text: yesNo('isStale')(row),
  tone: memberAt(row, 'isStale') === true ? 'warn' : 'plain',
});

function gpu(row: Json): Shown {
  const count = numberOf(memberAt(row, 'gpuCount'));
  const type = text('gpuTypeId')(row);
  return type === '' || count === undefined || count === 1 ? type : `${type} x${String(count)}`;
}

const workerView: View = {
  noun: ['worker', 'workers'],
  id: (row) => stringOf(memberAt(row, 'id')) ?? '',
  members: 'id status isStale version gpuTypeId gpuCount dataCenterId image uptimeSeconds startedAt'.split(' '),
  columns: [
    { header: 'ID', show: text('id') },
    { header: 'STATUS', show: status('status'), whole: true },
    { header: 'STALE', show: stale },
    { header: 'VERSION', show: text('version'), right: true },
    { header: 'GPU', show: gpu },
    { header: 'DATA CENTER', show: text('dataCenterId') },
    { header: 'UPTIME', show: duration('uptimeSeconds', 's'), right: true },
    { header: 'STARTED', show: age('startedAt'), right: true, wide: true },
    { header: 'IMAGE', show: text('image'), wide: true },
  ],
};

/** `4 workers: 1 running, 3 idle. The endpoint is at version 3.` */
function summaryOf(document: Json): readonly string[] {
  const counts = Object.entries(objectOf(memberAt(document, 'summary')) ?? {});
  const total = numberOf(memberAt(document, 'summary.total'));
  if (total === undefined) return [];
  const kinds = counts.flatMap(([name, count]) =>
    name === 'total' || count === 0 ? [] : [`${text(name)(Object.fromEntries(counts))} ${name}`],
  );
  const version = text('endpointVersion')(document);
  return [
    `${countOf(total, 'worker')}${kinds.length === 0 ? '' : `: ${kinds.join(', ')}`}.${version === '' ? '' : ` The endpoint is at version ${version}.`}`,
  ];
}

/** The active workers of an endpoint, whose id it also gives where a name was given. */
export async function listWorkers(ctx: CommandContext, endpoint: string) {
  const { id, answer } = await sendTo(ctx, ENDPOINTS, endpoint, (each) => ({
    service: 'base',
    method: 'GET',
    path: [...ENDPOINTS.path, each, 'workers'],
    id: each,
    expects: { list: 'workers' },
  }));
  const { value = null, text: source } = answer;
  return { id, document: value, workers: arrayOf(memberAt(value, 'workers')) ?? [], source };
}

export const workers = defineCommand({
  summary: 'list the workers of an endpoint, and which run an older release',
  args: { id: arg.text('endpoint id or name', { metavar: 'ENDPOINT' }) },
  watch: true,
  examples: [['berth endpoints workers ENDPOINT --watch', 'see them come and go']],
  run: async (ctx, { id }) => {
    const { document, workers: values, source } = await listWorkers(ctx, id);
    return {
      kind: 'many',
      view: workerView,
      values,
      source: { text: source, member: 'workers' },
      notes: summaryOf(document),
    };
  },
});
