/** The one price line before what costs money, and the price in a question. */
import { describe, expect, test } from 'vitest';
import { answerQuestion } from '../../../../support/worlds/answer-question.ts';
import { createAccount } from '../../../../support/worlds/local-account.ts';
import { createTestWorld } from '../../../../support/worlds/test-world.ts';

const POD = 'pods create --name a --gpu GPU-24G --image i';

describe('the price of a create is one line on stderr, and nothing is asked', () => {
  test.each([
    [POD, 'GPU-24G x1, SECURE: $0.69/h'],
    [`${POD} --gpu-count 8`, 'GPU-24G x8, SECURE: $5.52/h'],
    [
      `${POD} --persistent-size 200`,
      'GPU-24G x1, SECURE: $0.69/h plus a persistent mount of 200 GB, also while stopped',
    ],
    ['volumes create --name a --size 4000 --data-center EU-WEST-1', '4000 GB: $220.48/month'],
    [
      'endpoints create --name a --gpu-pool POOL-80G --image i --workers-min 2',
      'A worker: $4.18/h while it runs. 2 workers always running: $8.36/h',
    ],
  ])('%s', async (line, price) => {
    for (const options of [{}, { tty: true, columns: 400 }]) {
      const { code, out, err } = await createAccount()(line, options);
      expect([code, err]).toEqual([0, expect.stringContaining(`${price}\n`)]);
      expect(out).not.toContain('$');
    }
    for (const flag of ['--json', '--quiet', '--dry-run'])
      expect((await createAccount()(`${line} ${flag}`)).err).not.toContain('$');
  });

  test('where it cannot be found out the create is sent all the same', async () => {
    const account = createAccount();
    await account("local fault add server-error --match 'GET /v2/catalog'");
    expect((await account(POD)).code).toBe(0);
  });
});

test('pods to start by a selector are priced in the question, from the catalog: a stopped pod costs nothing', async () => {
  const world = createTestWorld({ tty: true, columns: 400, env: { BERTH_LOCAL: '1' } });
  const { code, err } = await answerQuestion(world, ['pods', 'start', '--status', 'EXITED'], 'Continue?', 'n');
  expect([code, err]).toEqual([2, expect.stringMatching(/2 pods will be started: \$0\.[1-9]\d\/h\./)]);
});

test('a month is priced for every volume; high-performance storage costs more than the published price', async () => {
  const { out } = await createAccount()('volumes list');
  expect(out).toMatch(/^vol-datasets\t.*\t>\$122\.88$/m);
  expect(out).toMatch(/^vol-checkpoints\t.*\t\$35\.00$/m);
});
