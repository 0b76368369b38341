/** Exit codes. They are stable: a script that has run for a year reads them. `berth help exit-codes` prints this table. */
export const EXIT = {
  done: 0,
  bug: 1,
  usage: 2,
  denied: 3,
  notFound: 4,
  refused: 5,
  rateLimited: 6,
  unavailable: 7,
  unknown: 8,
  waitEnded: 9,
  jobFailed: 10,
  jobCancelled: 11,
  jobTimedOut: 12,
  batchIncomplete: 13,
  localFile: 14,
  interrupted: 130,
  terminated: 143,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** What each exit code says, in the order of the table. */
export const EXIT_MEANINGS: readonly (readonly [ExitCode, string])[] = [
  [0, 'done'],
  [1, 'a bug in berth, or anything without a code of its own'],
  [2, 'usage: refused here, before anything was sent'],
  [3, 'no key, or the service answered 401 or 403'],
  [4, 'not found'],
  [5, 'refused by the service (400, 402, 409, 413, 422)'],
  [6, 'rate limited, after retries'],
  [7, 'service or network unavailable; nothing changed'],
  [8, 'outcome unknown: a write was sent and no readable answer came'],
  [9, 'a wait ended before what it waited for'],
  [10, 'the job ended FAILED or ERROR, or the pod is in ERROR'],
  [11, 'the job ended CANCELLED'],
  [12, 'the job ended TIMED_OUT'],
  [13, 'a batch ended with items that did not complete'],
  [14, 'trouble with a local file (config, journal, output)'],
  [130, 'interrupted (Ctrl-C)'],
  [143, 'terminated'],
];
