import { type Operation, steps } from '../http/operation.ts';
import { bodyOf } from '../http/validate.ts';
import { endpoints } from '../model/endpoints.ts';
import { pods } from '../model/pods.ts';
import { sshKeys } from '../model/records.ts';
import { hourlyCost } from './pods/document.ts';

/** USD an hour over all pods that run, and the sum of `workers.max`: neither is enforced. */
const LIMITS = { spendRate: 80, serverlessWorkers: 100 };

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

/** The account (additions of November, 18), and its SSH keys: a PUT replaces all of them, `[]` removes them. */
export const accountOperations: readonly Operation[] = steps({
  getAccount: () => ({ id: 'user-local', email: 'someone@example.com' }),
  getAccountLimits: (state, _call, now) => ({
    spendRate: { limit: LIMITS.spendRate, current: sum(pods.all(state).map((pod) => hourlyCost(pod, now))) },
    serverlessWorkers: {
      limit: LIMITS.serverlessWorkers,
      current: sum(endpoints.all(state).map(({ hidden, workers }) => (hidden === true ? 0 : workers.max))),
    },
  }),
  getAccountBalance: () => ({ balanceAmount: 25, billingMode: 'PREPAID' }),
  getSshKeys: (state) => ({ keys: sshKeys.of(state) }),
  updateSshKeys: (state, call) => {
    const { keys } = bodyOf(call) as { keys: readonly string[] };
    sshKeys.replace(state, keys);
    return { keys };
  },
});
