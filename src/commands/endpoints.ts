import { isObject, memberAt, stringOf, type Json } from '../core/json.ts';
import { defineGroup } from '../cli/command.ts';
import { getCommand, listCommand, type Resource } from '../cli/resource/read.ts';
import { age, json, text } from '../output/cells.ts';
import type { Shown, View } from '../output/view.ts';

/** `0 to 3`: how far workers scale. */
const workers = (row: Json): Shown => `${text('workers.min')(row)} to ${text('workers.max')(row)}`;

/** `4 s of delay`, `5 requests`: what makes workers grow. */
function scaling(row: Json): Shown {
  const type = stringOf(memberAt(row, 'scaling.type'));
  if (type === 'QUEUE_DELAY') return `${text('scaling.queueDelay')(row)} s queue delay`;
  if (type === 'REQUEST_COUNT') return `${text('scaling.requestCount')(row)} requests a worker`;
  return json('scaling')(row);
}

const hardware = (row: Json): Shown => (isObject(memberAt(row, 'gpu')) ? json('gpu.pools')(row) : json('cpu')(row));

const endpointView: View = {
  noun: ['endpoint', 'endpoints'],
  id: (row) => stringOf(memberAt(row, 'id')) ?? '',
  columns: [
    { header: 'ID', show: text('id') },
    { header: 'NAME', show: text('name') },
    { header: 'TYPE', show: text('type') },
    { header: 'WORKERS', show: workers },
    { header: 'SCALING', show: scaling },
    { header: 'AGE', show: age('createdAt'), right: true },
    { header: 'HARDWARE', show: hardware, wide: true },
    { header: 'IMAGE', show: text('image'), wide: true },
  ],
};

const ENDPOINTS: Resource = { noun: 'endpoint', path: ['v2', 'serverless'], member: 'endpoints', view: endpointView };

export const endpoints = defineGroup('serverless endpoints', {
  list: listCommand(ENDPOINTS, { summary: 'list endpoints' }),
  get: getCommand(ENDPOINTS, { summary: 'show an endpoint' }),
});
