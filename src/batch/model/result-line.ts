import { encodeJson, Exact, isObject, type Json } from '../../core/json.ts';
import { jobOutcome, jobStatus } from '../../queue/job-status.ts';
import type { Ending } from './item-states.ts';

/** The item that a result line belongs to. */
export interface LineOwner {
  readonly item: number;
  /** JSON text of the item's label. */
  readonly id?: string | undefined;
  readonly job?: string | undefined;
}

/** The members of a result line that are those of the job document. */
const COPIED_MEMBERS = ['status', 'output', 'error', 'delayTime', 'executionTime'] as const;

/** All members of a result line, in their order. */
export const RESULT_MEMBERS = ['item', 'id', 'job', ...COPIED_MEMBERS] as const;

/** Returns one line of the results: the item and members of the job document, with exact numbers. */
export function resultLine({ item, id, job }: LineOwner, document: Json): string {
  const copied = isObject(document) ? Object.fromEntries(COPIED_MEMBERS.map((name) => [name, document[name]])) : {};
  return `${encodeJson({
    item,
    ...(id === undefined ? {} : { id: new Exact(id) }),
    ...(job === undefined ? {} : { job }),
    ...copied,
  })}\n`;
}

/** Returns the item of a result line; undefined for another line. */
export function itemOfLine(bytes: Uint8Array): number | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(40, bytes.byteLength)).toString('latin1');
  const item = /^\{"item":(\d+)[,}]/.exec(head)?.[1];
  return item === undefined ? undefined : Number(item);
}

/** Statuses that this program writes itself, when the service has no document. */
const OWN_ENDINGS: ReadonlyMap<string, Ending> = new Map([
  ['EXPIRED', 'expired'],
  ['REFUSED', 'failed'],
]);

/** Returns how the item of a result line ended, or undefined when its status is not terminal. */
export const endingOf = (result: Json): Ending | undefined => jobOutcome(result) ?? OWN_ENDINGS.get(jobStatus(result));

/** Returns how the item of a result line ended. A status that is not known counts as failed. */
export const endingOrFailed = (result: Json): Ending => endingOf(result) ?? 'failed';
