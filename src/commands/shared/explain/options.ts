/** The parts of the help that all commands with an explanation share. */
import { EXIT } from '../../../core/exit-codes.ts';
import { option } from '../../../cli/model/params.ts';
import type { Milliseconds } from '../../../core/unit-types.ts';

export const EXPLAIN_DETAILS =
  'Prints the verdict, then what was found with the request that said so, then the commands that help. -o json has them as verdict, code, state, evidence and cure. Ends with 0 when it found an answer.';

export const EXIT_STATUS_OPTION = {
  exitStatus: option.on('end 10 when it is blocked: nothing moves until something is changed'),
};

/** The exit code of `--exit-status`. */
export const EXPLAIN_EXITS = [EXIT.jobFailed];

/** How long the queue is watched by default. */
const DEFAULT_SAMPLE_MS: Milliseconds = 3000;

/** The flag of commands that estimate how fast jobs end. */
export const SAMPLE_OPTION = {
  sample: option.durationOr(
    'how long to watch the queue when jobs wait, to estimate the time; 0 for no estimate',
    's',
    DEFAULT_SAMPLE_MS,
    '3s',
  ),
};
