import { expect, test } from 'vitest';
import { createAccount, local } from '../../../support/worlds/local-account.ts';

const CREATE = 'endpoints create --name e --image a/b --gpu-pool POOL-80G';

test.each([
  [`${CREATE} --workers-min 4 --workers-max 2`, '--workers-min 4 is above --workers-max 2', [2, 4]],
  [`${CREATE} --workers-min 4`, '--workers-min 4 is above the maximum by default, 3 workers', [3, 4]],
  [
    'endpoints update demo --workers-min 9',
    '--workers-min 9 is above the maximum of the endpoint now, 3 workers',
    [3, 9],
  ],
  [
    'endpoints update demo --workers-max 1',
    '--workers-max 1 is below the minimum of the endpoint now, 2 workers',
    [1, 2],
  ],
])('%s: the error says both values and the flags that mend it', async (line, message, [min, max]) => {
  const account = createAccount();
  await local(account, 'endpoints update demo --workers-min 2');
  const ran = await account(`${line} --json`);
  expect([ran.code, JSON.parse(ran.err)]).toEqual([
    2,
    { error: { code: 'usage', message, hint: `Give --workers-min ${String(min)}, or --workers-max ${String(max)}.` } },
  ]);
});
