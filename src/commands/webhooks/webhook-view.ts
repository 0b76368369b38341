import { arrayAt, type Json, memberAt, numberAt, stringAt } from '../../core/json.ts';
import type { StoredWebhook } from '../../core/ports/webhooks.ts';
import { formatBytes } from '../../core/units.ts';
import { manyOf, oneOf, orNull, ownObject, TEXT, TIME, WHOLE, YES_NO } from '../../cli/model/output-schema.ts';
import { textColumn } from '../../cli/resource/fields/detail-lines.ts';
import { age, status } from '../../output/cells/cell-functions.ts';
import { idOf, type Shown, type View } from '../../output/view.ts';
import { isDelivered } from '../shared/webhooks/deliver.ts';

const DELIVERY = ownObject(
  { at: TIME },
  { to: TEXT, status: { ...WHOLE, description: 'of the answer' }, error: { ...TEXT, description: 'why none came' } },
);

/** What `--json` prints of a webhook. */
export const WEBHOOK = ownObject(
  {
    id: TEXT,
    receivedAt: TIME,
    source: { ...oneOf('received', 'made'), description: 'made: posted by berth in the place of the service' },
    job: orNull(TEXT),
    status: { ...orNull(TEXT), description: 'of the job' },
    target: { ...TEXT, description: 'the path and query that it was sent to' },
    bytes: WHOLE,
    file: { ...TEXT, description: 'holds the body as it was sent' },
    headers: manyOf(ownObject({ name: TEXT, value: TEXT })),
    deliveries: manyOf(DELIVERY),
    delivered: { ...orNull(YES_NO), description: 'null where it was only to be received' },
  },
  { answered: { ...WHOLE, description: 'the status that the sender got' } },
);

/** Whether a webhook reached its receiver; undefined where it was only to be received. */
export function deliveredState({ to, deliveries }: StoredWebhook): boolean | undefined {
  if (to === undefined && deliveries.length === 0) return undefined;
  return deliveries.some(isDelivered);
}

/** A webhook as a row; `answered` is the status that its sender got. */
export const webhookRow = (webhook: StoredWebhook, answered?: number): Json => ({
  id: webhook.id,
  receivedAt: timeOf(webhook.at),
  source: webhook.source,
  job: webhook.job ?? null,
  status: webhook.status ?? null,
  target: webhook.target,
  bytes: webhook.bytes,
  file: webhook.file,
  headers: webhook.headers.map(([name, value]) => ({ name, value })),
  deliveries: webhook.deliveries.map(({ at, to, status: code, error }): Json => ({
    at: timeOf(at),
    to,
    status: code,
    error,
  })),
  delivered: deliveredState(webhook) ?? null,
  ...(answered === undefined ? {} : { answered }),
});

const timeOf = (at: number): string => new Date(at).toISOString();

export const webhookView: View = {
  noun: ['webhook', 'webhooks'],
  id: idOf,
  members: ['id', 'receivedAt', 'source', 'job', 'status', 'target', 'bytes', 'delivered'],
  columns: [
    textColumn('id', { cutLast: true }),
    { header: 'RECEIVED', show: age('receivedAt'), right: true },
    textColumn('job', { cutLast: true }),
    { header: 'STATUS', show: status('status') },
    { header: 'SIZE', show: (row) => formatBytes(numberAt(row, 'bytes') ?? 0), right: true },
    { header: 'DELIVERED', show: deliveryCell },
    textColumn('target', { wide: true }),
    textColumn('file', { wide: true }),
  ],
};

function deliveryCell(row: Json): Shown {
  const delivered = memberAt(row, 'delivered');
  if (delivered === null || delivered === undefined) return '';
  const last = arrayAt(row, 'deliveries')?.at(-1);
  const to = stringAt(last, 'to');
  if (delivered === true) return { text: to === undefined ? 'yes' : `to ${to}`, tone: 'good' };
  const code = numberAt(last, 'status');
  const why = stringAt(last, 'error') ?? (code === undefined ? 'not sent' : `answered ${code}`);
  return { text: `failed: ${why}`, tone: 'bad' };
}
