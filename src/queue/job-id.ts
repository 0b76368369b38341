import { EXIT } from '../core/exit-codes.ts';
import { Failure } from '../core/failure.ts';
import { isUsableId } from '../core/ids.ts';
import { encodeJson, type Json, memberAt, stringOf } from '../core/json.ts';
import { safeText } from '../core/safe-text.ts';

/** Characters: it must fit in a URL. */
const MAX_ID_LENGTH = 1000;

/** Undefined if it cannot be used in a path. */
export function jobIdOf(job: Json | undefined): string | undefined {
  const id = stringOf(memberAt(job, 'id'));
  return id !== undefined && id.length <= MAX_ID_LENGTH && isUsableId(id) ? id : undefined;
}

/** Exit 8: the job may exist. */
export function unusableJobId(job: Json | undefined): Failure {
  const id = memberAt(job, 'id');
  return unknownOutcome(
    `the service answered ${id === undefined ? 'without a job id' : `with a job id that cannot be one, ${shown(id)}`}; the job may have been accepted`,
  );
}

/** Exit 8: the service reused the id of an earlier job. */
export const duplicateJobId = (job: string): Failure =>
  unknownOutcome(
    `the service gave the job id ${shown(job)} to two items; the job of the second one cannot be told apart`,
  );

const unknownOutcome = (message: string): Failure =>
  new Failure({ code: 'outcome-unknown', exit: EXIT.unknown, message });

const shown = (value: Json): string => safeText(encodeJson(value)).slice(0, 100);
