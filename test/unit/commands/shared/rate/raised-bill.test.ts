import { describe, expect, test } from 'vitest';
import { createAccount, local } from '../../../../support/worlds/local-account.ts';
import { berthIn } from '../../../../support/worlds/run-berth.ts';
import { createTestWorld, KEYS, type TestWorld } from '../../../../support/worlds/test-world.ts';

const TERMINAL = { tty: true, columns: 400 };

/** Runs a command line on a terminal and answers its question. */
async function answered(argv: readonly string[], question: string, ...keys: readonly string[]) {
  const world: TestWorld = createTestWorld({ ...TERMINAL, env: { BERTH_LOCAL: '1' } });
  const running = berthIn(world, argv);
  while (!world.err().includes(question)) await new Promise(setImmediate);
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
  await world.type(...keys, KEYS.enter);
  return { ...(await running), world };
}

describe('what raises the bill', () => {
  test('a volume that grows has its price of a month before and after, cannot be undone, and is asked about', async () => {
    const { code, err, world } = await answered(
      ['volumes', 'update', 'checkpoints', '--size', '1000'],
      'Change it?',
      'n',
    );
    expect(err).toContain(
      'Volume vol-checkpoints (checkpoints): 500 GB to 1000 GB, $35.00 a month to $70.00 a month. This cannot be undone: a volume never shrinks.',
    );
    expect([code, err]).toEqual([2, expect.stringContaining('nothing was changed')]);
    expect((await berthIn(world, ['volumes', 'get', 'checkpoints', '--json'])).out).toContain('"size": 500');
  });

  test.each([
    ['--size 1000 --yes', TERMINAL],
    ['--size 1000', {}],
    ['--name other', TERMINAL],
  ])('is not asked about with --yes, without a terminal, and where the bill stays: %s', async (flags, options) => {
    const { code } = await createAccount()(`volumes update checkpoints ${flags}`, options);
    expect(code).toBe(0);
  });

  test('workers that always run are priced by the hour and month when an endpoint is created', async () => {
    const create = 'endpoints create --name api --gpu-pool POOL-80G --image a/b --workers-min';
    const { code, err } = await answered(`${create} 2`.split(' '), 'Create it?', 'y');
    expect(code).toBe(0);
    expect(err).toContain('2 workers always run: $8.36 an hour, $6102.80 a month, also without jobs.');
    expect((await createAccount()(`${create} 0`, TERMINAL)).err).not.toContain('Create it?');
    expect((await createAccount()(`${create} 2 --yes`, TERMINAL)).code).toBe(0);
  });

  test('and when their number is raised; not when it is lowered', async () => {
    const { code, err } = await answered(['endpoints', 'update', 'echo', '--workers-min', '2'], 'Change it?', 'n');
    expect(code).toBe(2);
    expect(err).toMatch(
      /Workers that always run, also without jobs: 0 \(\$0\.00 an hour, \$0\.00 a month\) to 2 \(\$\d+\.\d\d( to \$\d+\.\d\d)? an hour, \$\d+\.\d\d( to \$\d+\.\d\d)? a month\)\./,
    );
    const account = createAccount();
    await local(account, 'endpoints update echo --workers-min 2');
    expect((await account('endpoints update echo --workers-min 1', TERMINAL)).code).toBe(0);
  });

  test('a larger disk of a pod is asked about, and has no published price', async () => {
    const { code, err } = await answered(['pods', 'update', 'pod-train', '--disk', '900'], 'Change it?', 'n');
    expect(code).toBe(2);
    expect(err).toMatch(/It costs more: container disk \d+ GB to 900 GB\. The service publishes no price for it\./);
  });
});
