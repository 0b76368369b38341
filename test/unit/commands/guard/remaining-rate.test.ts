import { expect, test } from 'vitest';
import { createTestClock } from '../../../support/clocks/test-clock.ts';
import { remoteService } from '../../../support/servers/remote-service.ts';
import { CREATE, withLab } from '../../../support/worlds/guard-account.ts';
import { createAccount, local } from '../../../support/worlds/local-account.ts';
import { berth, berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';

const RATE = /^The account goes on costing .*\$\d+\.\d\d an hour \(pods \$(\d+\.\d\d).*\)\.$/gm;

test('guard run that stopped a pod says what the account goes on costing, as pods stop does', async () => {
  const [account, other] = [await withLab(), await withLab()];
  for (const each of [account, other]) await local(each, 'local clock advance 3h');
  const ran = await account('guard run');
  expect(ran.err.match(RATE), ran.err).toHaveLength(1);
  expect(ran.err.match(RATE)).toEqual((await other('pods stop lab')).err.match(RATE));
  expect((await account('guard run')).err).not.toContain('The account');
});

test('guard run that stopped one pod and terminated another counts neither', async () => {
  const account = createAccount();
  await local(account, 'pods stop --all --yes');
  const before = await account('pods terminate exits-at-once --yes');
  for (const [name, deadline] of [
    ['one', '--stop-after'],
    ['two', '--terminate-after'],
  ])
    await local(account, `${CREATE} ${String(name)} ${String(deadline)} 90m -o id`);
  await local(account, 'local clock advance 3h');
  const ran = await account('guard run --allow-terminate --yes');
  expect(ran.out).toMatch(/two\tterminated[^]*one\tstopped/);
  expect(ran.err.match(RATE)).toEqual(before.err.match(RATE));
});

test.each(['--json', '--quiet', '--dry-run'])('guard run %s does not read the rate', async (flag) => {
  const account = await withLab();
  await local(account, 'local clock advance 3h');
  expect((await account(`guard run ${flag}`)).err).not.toContain('The account');
});

test('guard run reads no rate where it stopped nothing', async () => {
  const { env, server } = await remoteService();
  expect((await berth(['guard', 'run'], { env })).code).toBe(0);
  expect(server.seen.map(({ url }) => url)).toEqual([expect.stringContaining('/v2/pods')]);
});

test('guard run --every says it once, at its end', async () => {
  const clock = createTestClock();
  const world = createTestWorld({ clock });
  const run = (line: string) => berthIn(world, ['--local', ...line.split(' ')]);
  await run(`${CREATE} lab --stop-after 90m`);
  await run('local clock advance 3m');
  const running = run('guard run --every 10m');
  while (clock.slept.filter((each) => each === 600_000).length < 15) await new Promise(setImmediate);
  expect(world.out()).toMatch(/^lab\tstopped/m);
  expect(world.err()).not.toContain('goes on costing');
  world.signal('SIGINT');
  const ran = await running;
  expect([ran.code, ran.err.match(RATE)], ran.err).toEqual([130, [expect.anything()]]);
});
