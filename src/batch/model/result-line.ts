import type { Ending } from './item-states.ts';
import { encodeJson, Exact, isObject, type Json, stringAt } from '../../core/json.ts';
import { jobError, jobOutcome, jobStatus } from '../../queue/job.ts';

export interface LineOwner {
  readonly item: number;
  /** JSON text. */
  readonly id?: string | undefined;
  readonly job?: string | undefined;
}

export const RESULT_MEMBERS = ['item', 'id', 'job', 'status', 'output', 'error', 'delayTime', 'executionTime'] as const;

/** With exact numbers. */
export const resultLine = (owner: LineOwner, document: Json): string => `${encodeJson(resultOf(owner, document))}\n`;

function resultOf({ item, id, job }: LineOwner, document: Json) {
  const { status, output, error, delayTime, executionTime } = isObject(document) ? document : {};
  return { item, id: id === undefined ? id : new Exact(id), job, status, output, error, delayTime, executionTime };
}

export function itemOfLine(bytes: Uint8Array): number | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(40, bytes.byteLength)).toString('latin1');
  const item = /^\{"item":(\d+)[,}]/.exec(head)?.[1];
  return item === undefined ? undefined : Number(item);
}

/** Written by this program when the service has no document. */
const OWN_ENDINGS: ReadonlyMap<string, Ending> = new Map([
  ['EXPIRED', 'expired'],
  ['REFUSED', 'failed'],
]);

/** Undefined when its status is not terminal. */
export const endingOf = (result: Json): Ending | undefined => jobOutcome(result) ?? OWN_ENDINGS.get(jobStatus(result));

/** An unknown status counts as failed. */
export const endingOrFailed = (result: Json): Ending => endingOf(result) ?? 'failed';

/** Characters. */
export const MAX_ERROR_LENGTH = 200;

/** One line; the status when there is no error. */
export const errorOf = (result: Json): string =>
  (jobError(result)?.headline ?? stringAt(result, 'status') ?? 'the job has no error message').slice(
    0,
    MAX_ERROR_LENGTH,
  );

/** Replaced in this order. */
const VARIABLE_PARTS: readonly (readonly [RegExp, string])[] = [
  [/\b[a-z][a-z\d+.-]*:\/\/[^\s"'<>]+/gi, '<url>'],
  [/\b[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}\b/gi, '<id>'],
  // A path has two separators at least: "and/or" is not one.
  [/(?<![\w<])(?:[A-Za-z]:)?(?:[/\\][\w.@+-]+){2,}[/\\]?/g, '<path>'],
  [/(?<![\w<])(?:[\w.@+-]+[/\\]){2,}[\w.@+-]+/g, '<path>'],
  [/\b0x[\da-f]+\b/gi, '<id>'],
  // Letters and digits mixed, such as a hash or the id of a job.
  [/\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{8,}\b/g, '<id>'],
  [/\d+(?:[.,:]\d+)*/g, '<n>'],
];

/** Masks numbers, ids, paths and addresses, so that errors of one kind are equal. */
export const errorPattern = (error: string): string =>
  VARIABLE_PARTS.reduce((text, [part, mask]) => text.replace(part, mask), error);
