import { type Json, memberAt, numberAt } from '../../core/json.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { defineTable, type Fields } from '../../cli/resource/fields.ts';
import { list } from '../../cli/resource/noun.ts';
import { resource, readListOf } from '../../cli/resource/targets.ts';
import { countOf } from '../../cli/words.ts';
import { text, yesNo } from '../../output/cells.ts';
import type { Cell, Shown } from '../../output/view.ts';
import { ENDPOINTS } from '../../cli/resource/collections.ts';

/** Runs an older release and will be replaced (contract rules, Serverless). */
function stale(row: Json): Cell {
  return { text: yesNo(row, 'isStale'), tone: memberAt(row, 'isStale') === true ? 'warn' : 'plain' };
}

function gpu(row: Json): Shown {
  const count = numberAt(row, 'gpuCount');
  const type = text(row, 'gpuTypeId');
  return type === '' || count === undefined || count === 1 ? type : `${type} x${count}`;
}

const WORKER_FIELDS = {
  id: { path: 'id' },
  status: { path: 'status', type: 'status' },
  isStale: { path: 'isStale', type: 'flag', label: 'stale', show: stale },
  version: { path: 'version', type: 'count' },
  gpu: { path: 'gpuTypeId', label: 'gpu', show: gpu },
  gpuCount: { path: 'gpuCount', type: 'count' },
  dataCenter: { path: 'dataCenterId', label: 'data center' },
  image: { path: 'image' },
  uptime: { path: 'uptimeSeconds', type: 'seconds', label: 'uptime' },
  startedAt: { path: 'startedAt', type: 'time', label: 'started' },
} as const satisfies Fields;

export const WORKER_TABLE = defineTable({
  noun: ['worker', 'workers'],
  fields: WORKER_FIELDS,
  table: ['id', 'status', 'isStale', 'version', 'gpu', 'dataCenter', 'uptime'],
  wide: ['startedAt', 'image'],
});

const WORKERS = resource({ noun: 'worker', path: ['workers'], member: 'workers', schema: 'Worker' }, WORKER_TABLE);

export const listWorkers = (ctx: CommandContext, endpoint: string) => readListOf(ctx, ENDPOINTS, endpoint, 'workers');

export const workers = list(WORKERS, {
  of: ENDPOINTS,
  summary: 'list the workers of an endpoint, and which run an older release',
  watch: true,
  total: (rows) => countOf(rows.length, 'worker'),
  examples: [['berth endpoints workers captions --watch', 'see them come and go']],
});
