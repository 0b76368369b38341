import { encodeJson, Exact, isObject, type Json, memberAt, stringOf } from '../../core/json.ts';
import { jobOutcome } from '../../queue/job-status.ts';
import type { Ending } from './item-states.ts';

/** The item that a result line belongs to. */
export interface LineOwner {
  readonly item: number;
  /** JSON text of the item's label. */
  readonly id?: string | undefined;
  readonly job?: string | undefined;
}

const COPIED_MEMBERS = ['status', 'output', 'error', 'delayTime', 'executionTime'];

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

/** Returns how the item of a result line ended. A status that is not known counts as failed. */
export const stateOf = (result: Json): Ending =>
  jobOutcome(result) ?? (stringOf(memberAt(result, 'status')) === 'EXPIRED' ? 'expired' : 'failed');
