import { EXIT } from '../core/exit-codes.ts';
import { Failure } from '../core/failure.ts';
import { isUsableId } from '../core/ids.ts';
import { encodeJson, memberAt, stringOf, type Json } from '../core/json.ts';
import { safeText } from '../core/safe-text.ts';

/** Longest id in characters: it must fit in a URL. */
const MAX_ID_LENGTH = 1000;

/** Returns the id of a job document, or undefined when it has none that can be used in a path. */
export function jobIdOf(job: Json | undefined): string | undefined {
  const id = stringOf(memberAt(job, 'id'));
  return id !== undefined && id.length <= MAX_ID_LENGTH && isUsableId(id) ? id : undefined;
}

/** The service accepted a submission, and its answer has no usable id: exit 8, because the job may exist. */
export function unusableJobId(job: Json | undefined): Failure {
  const id = memberAt(job, 'id');
  return unknownOutcome(
    `the service answered ${id === undefined ? 'without a job id' : `with a job id that cannot be one, ${shown(id)}`}; the job may have been accepted`,
  );
}

/** The service gave the id of an earlier job to another submission: exit 8. */
export const duplicateJobId = (job: string): Failure =>
  unknownOutcome(
    `the service gave the job id ${shown(job)} to two items; the job of the second one cannot be told apart`,
  );

const unknownOutcome = (message: string): Failure =>
  new Failure({ code: 'outcome-unknown', exit: EXIT.unknown, message });

const shown = (value: Json): string => safeText(encodeJson(value)).slice(0, 100);
