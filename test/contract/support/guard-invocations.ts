import { line, type Invocation } from './invocation.ts';

/** Rules that apply to none of the pods; the time of an account that has no bill is not known. */
const RULES =
  '--idle 2h --idle-gpu 5 --idle-cpu 5 --idle-memory 50 --max-age 52w --max-running 52w --max-spent 99 --spent-since creation --account-per-hour 99 --account-month 99 --no-deadline --data-center NOWHERE --gpu G1 --cost-above 1 --do report --allow-terminate --max-actions 3';

/** The calls of the guard: see `INVOCATIONS`. */
export const GUARD_INVOCATIONS: Readonly<Record<string, readonly Invocation[]>> = {
  'guard check': [
    line(`guard check ${RULES}`),
    line('guard check --without-jobs 1h --unused-storage'),
    line('guard check --policy -', { stdin: 'rules: []' }),
  ],
  'guard run': [
    line(`guard run ${RULES} --yes`),
    line('guard run --without-jobs 1h --unused-storage'),
    line('guard run --policy -', { stdin: 'rules: []' }),
  ],
  'guard status': [line('guard status')],
  'guard snooze': [line('guard snooze p1 1h')],
};
