import { describe, expect, it, test } from 'vitest';
import { POD_BODY } from '../../../support/local/service-fixture.ts';
import { remoteService } from '../../../support/servers/remote-service.ts';
import { CREATE, rows, statusOf } from '../../../support/worlds/guard-account.ts';
import { createAccount, local } from '../../../support/worlds/local-account.ts';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';

describe('what is stored and not used', () => {
  it('is a volume that is mounted nowhere and a stopped pod with a disk, each with its cost, and is only reported', async () => {
    const account = createAccount();
    await local(account, 'pods stop pod-notebook');
    await local(account, 'local clock advance 3h');
    const before = await local(account, 'volumes list -o id');
    const ran = await account('guard run --unused-storage --allow-terminate --json');
    expect([ran.code, JSON.parse(ran.out)]).toMatchObject([
      15,
      [
        {
          ...{ kind: 'pod', id: 'pod-notebook', action: 'report' },
          why: 'stopped, with a disk of 100 GB: $0.0137 an hour, $10.00 a month',
        },
        {
          ...{ kind: 'volume', name: 'scratch', action: 'report' },
          why: expect.stringMatching(/^mounted nowhere: \$0\.\d+ an hour, \$\d+\.\d\d a month$/) as string,
        },
      ],
    ]);
    expect(await local(account, 'volumes list -o id')).toBe(before);
  });

  it('is no longer the volume that a pod mounts', async () => {
    const account = createAccount();
    await local(account, 'local clock advance 3h');
    expect((await rows(account, 'guard check --unused-storage')).map(({ name }) => name)).toEqual(['scratch']);
    await local(account, `${CREATE} user --network-volume scratch:/data -o id`);
    expect(await rows(account, 'guard check --unused-storage')).toEqual([]);
  });

  it('is not told where what mounts it could not be read', async () => {
    const remote = await remoteService(({ url }) => (url.startsWith('/v2/serverless') ? { refuse: 500 } : undefined));
    const ran = await berthIn(createTestWorld({ env: remote.env }), ['guard', 'check', '--unused-storage', '--json']);
    expect([ran.code, ran.out, ran.err]).toEqual([0, '[]\n', expect.stringContaining('could not be read')]);
  });
});

describe('dollars since the creation of a pod', () => {
  /** `lab` ran for 10 hours at $0.69, was stopped, and was started again an hour ago. */
  async function restarted() {
    const account = createAccount();
    await local(account, `${CREATE} lab -o id`);
    await local(account, 'local clock advance 10h');
    await local(account, 'pods stop lab');
    await local(account, 'local clock advance 48h');
    await local(account, 'pods start lab');
    await local(account, 'local clock advance 1h');
    return account;
  }

  it('count all its starts, and no time in which it was stopped', async () => {
    const account = await restarted();
    const of = (flags: string) => rows(account, `guard check --match lab ${flags}`);
    expect(await of('--max-spent 5')).toEqual([]);
    expect(await of('--max-spent 5 --spent-since creation')).toMatchObject([
      { action: 'stop', why: expect.stringMatching(/^it cost \$7\.\d\d since its creation$/) as string },
    ]);
    // Two days more would have cost $33.
    expect(await of('--max-spent 9 --spent-since creation')).toEqual([]);
    await account('guard run --match lab --max-spent 5 --spent-since creation');
    expect(await statusOf(account, 'lab')).toContain('EXITED');
  });

  it('are unknown where the bill cannot be read, unless its last start alone cost more', async () => {
    const remote = await remoteService(({ url }) => (url.startsWith('/v2/billing') ? { refuse: 500 } : undefined));
    await remote.send('POST', '/v2/pods', POD_BODY);
    remote.clock.advance(60_000);
    await remote.send('GET', '/v2/pods');
    remote.clock.advance(10 * 3_600_000);
    const check = async (dollars: string): Promise<unknown> => {
      const flags = ['--match', 'p', '--max-spent', dollars, '--spent-since', 'creation', '--json'];
      return JSON.parse((await berthIn(createTestWorld({ env: remote.env }), ['guard', 'check', ...flags])).out);
    };
    expect(await check('1000')).toMatchObject([{ verdict: 'unknown', action: 'report' }]);
    expect(await check('0.5')).toMatchObject([{ verdict: 'over' }]);
  });
});

test('a pod that uses nothing is idle by the use that was set', async () => {
  const account = createAccount();
  await local(account, `${CREATE} lab -o id`);
  await local(account, 'local clock advance 1h');
  await local(account, 'local pods use lab --gpu 0 --cpu 1');
  const sweep = 'guard check --match lab --idle 1h';
  for (let minutes = 0; minutes < 65; minutes += 5) {
    await account(sweep);
    await local(account, 'local clock advance 5m');
  }
  expect(await rows(account, sweep)).toMatchObject([{ action: 'stop', why: 'idle for 1h' }]);
  await local(account, 'local pods use lab --gpu 90');
  expect(await rows(account, sweep)).toEqual([]);
});
