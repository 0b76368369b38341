/** Stable, because scripts depend on them. `own` codes occur only in commands that declare them (`exitsOf`). */
export const EXIT_CODES = [
  { name: 'done', code: 0, meaning: 'done' },
  { name: 'bug', code: 1, meaning: 'a bug in berth, or anything without a code of its own' },
  { name: 'usage', code: 2, meaning: 'usage: refused here, before anything was sent' },
  { name: 'denied', code: 3, meaning: 'no key, 401 or 403, or more than `access` allows' },
  { name: 'notFound', code: 4, meaning: 'not found' },
  { name: 'refused', code: 5, meaning: 'refused by the service (400, 402, 409, 413, 422), or locked or in use' },
  { name: 'rateLimited', code: 6, meaning: 'rate limited, after retries' },
  { name: 'unavailable', code: 7, meaning: 'service or network unavailable; nothing changed' },
  { name: 'unknown', code: 8, meaning: 'outcome unknown: a write was sent and no readable answer came', own: true },
  { name: 'waitEnded', code: 9, meaning: 'a wait reached its time limit', own: true },
  { name: 'jobFailed', code: 10, meaning: 'job FAILED, pod ERROR, or explain --exit-status: blocked', own: true },
  { name: 'jobCancelled', code: 11, meaning: 'the job ended CANCELLED', own: true },
  { name: 'jobTimedOut', code: 12, meaning: 'the job ended TIMED_OUT', own: true },
  { name: 'batchIncomplete', code: 13, meaning: 'a batch ended with items that did not complete', own: true },
  { name: 'localFile', code: 14, meaning: 'trouble with a local file (config, journal, output)' },
  { name: 'limitExceeded', code: 15, meaning: 'a limit that you set was exceeded (budget, guard rule)', own: true },
  { name: 'planDiffers', code: 16, meaning: 'a plan differs from what is there', own: true },
  { name: 'interrupted', code: 130, meaning: 'interrupted (Ctrl-C)' },
  { name: 'terminated', code: 143, meaning: 'terminated' },
] as const;

type Row = (typeof EXIT_CODES)[number];

export type ExitCode = Row['code'];

/** The order of exit codes when several things ended differently: what a person must look at first is the worst. */
const WORST_FIRST: readonly ExitCode[] = [143, 130, 8, 1, 14, 3, 7, 6, 5, 15, 16, 4, 2, 13, 10, 12, 11, 9, 0];

export const worstExit = (codes: readonly ExitCode[]): ExitCode =>
  codes.toSorted((one, other) => WORST_FIRST.indexOf(one) - WORST_FIRST.indexOf(other))[0] ?? EXIT.done;

const codes: Record<string, ExitCode> = {};
for (const { name, code } of EXIT_CODES) codes[name] = code;

export const EXIT = codes as { readonly [R in Row as R['name']]: R['code'] };
