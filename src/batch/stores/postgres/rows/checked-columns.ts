/** What the columns of JSON hold, checked where it enters: anybody with the rights can change a row. */
import type { Failure } from '../../../../core/failure.ts';
import { isObject } from '../../../../core/json.ts';
import { isSharedFormat, isStoredObject, isWhole } from '../../../model/checked-inputs.ts';
import { eventFromArray, isText, type EventRecord } from '../../../model/event-record.ts';
import type { BatchTarget, PartCompression } from '../../../model/store.ts';
import type { BatchInputs } from '../../../read/inputs.ts';
import { storeBroken } from '../database/failures.ts';
import type { EndsInSecond } from '../shard/held-shard.ts';
import { isRecorded } from '../shard/shard-events.ts';

/** What a batch is, as it was planned. */
export interface BatchManifest extends BatchInputs, BatchTarget {
  readonly version: 1;
  /** The input as the user named it. */
  readonly input: string;
  /** The folder, or the prefix of object storage, of the parts. */
  readonly out: string;
  readonly compression: PartCompression;
}

/** Returns a value that has the form that was asked for. Fails with local-file (14) for another one. */
export function checked<T>(value: unknown, isForm: (given: unknown) => given is T, what: string): T {
  if (isForm(value)) return value;
  throw changedByHand(what);
}

const changedByHand = (what: string): Failure =>
  storeBroken(
    `${what} in the database does not have the form that berth writes; somebody changed it`,
    'Nothing more was sent. Restore the database as it was.',
  );

const MANIFEST_TEXTS = ['endpoint', 'endpointId', 'service', 'input', 'extras', 'out'];
const PART_COMPRESSIONS: readonly unknown[] = ['none', 'gzip'] satisfies PartCompression[];

export const isBatchManifest = (value: unknown): value is BatchManifest =>
  isObject(value) &&
  MANIFEST_TEXTS.every((name) => isText(value[name])) &&
  PART_COMPRESSIONS.includes(value['compression']) &&
  isSharedFormat(value['format']) &&
  isList(value['sources']) &&
  value['sources'].every(isStoredObject);

/** Returns the records of a group. Fails with local-file (14) for what is none. */
export const recordsOf = (value: unknown, what: string): readonly EventRecord[] =>
  checked(value, isList, what).map((each) => {
    const record = isList(each) ? eventFromArray(each) : undefined;
    if (record === undefined || !isRecorded(record.event)) throw changedByHand(what);
    return record;
  });

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

export const areEnds = (value: unknown): value is readonly EndsInSecond[] =>
  Array.isArray(value) &&
  value.every((each: unknown) => Array.isArray(each) && each.length === 3 && each.every(isWhole));
