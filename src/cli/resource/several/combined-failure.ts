import { worstExit } from '../../../core/exit-codes.ts';
import { Failure } from '../../../core/failure.ts';
import { aboutOne, differentLines } from '../../../core/message.ts';

/** One of several things that may have failed. */
interface Ended {
  readonly id: string;
  readonly failure?: Failure | undefined;
}

/**
 * The failures among several as one failure, with the code and the exit code of the worst; undefined if none failed. If
 * there was only one thing to do, its failure is returned as it is. `total` is how many there were, where only some are given.
 */
export function combinedFailure(ended: readonly Ended[], total = ended.length): Failure | undefined {
  const failed = ended.flatMap(({ id, failure }) => (failure === undefined ? [] : [{ id, failure }]));
  const [first] = failed;
  if (first === undefined) return undefined;
  if (total === 1) return first.failure;
  const exit = worstExit(failed.map(({ failure }) => failure.exit));
  const ofWorst = failed.filter(({ failure }) => failure.exit === exit);
  // What was not sent has the exit code of what failed before it.
  const worst = ofWorst.find(({ failure }) => failure.code !== 'not-sent') ?? first;
  return new Failure({
    code: worst.failure.code,
    exit,
    message: `${failed.length} of ${total} did not go through`,
    hint: differentLines(failed.map(({ failure }) => aboutOne(failure.hint))),
    errors: failed.map(({ id, failure }) => `${id}: ${failure.message}`),
  });
}
