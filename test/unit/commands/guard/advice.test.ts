import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { createTestClock } from '../../../support/clocks/test-clock.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { CREATE, rows, withLab } from '../../../support/worlds/guard-account.ts';
import { createAccount, local } from '../../../support/worlds/local-account.ts';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';

/** Writes a policy; returns its path. */
function policyFile(text: string): string {
  const file = path.join(temporaryDirectory(), 'guard.yaml');
  writeFileSync(file, text);
  return file;
}

describe('a policy in which something does nothing is told so', () => {
  it.each([
    ['an exception that has ended', 'exceptions: [{match: lab, until: 2025-12-31}]', 'The exception of lab ended at'],
    ['an exception of nothing', 'exceptions: [{match: [lab, trian-*], until: 2027-01-01}]', 'The exception of trian-*'],
    ['a pattern of nothing', 'rules: [{select: {match: nb-*}, when: {age: 52w}}]', 'no pod has a name like nb-*.'],
    ['a GPU type', 'rules: [{select: {gpu: GPU-8OG}, when: {age: 52w}}]', 'no pod has the GPU type GPU-8OG.'],
    ['a data center', 'rules: [{select: {dataCenter: MOON}, when: {age: 52w}}]', 'no pod has the data center MOON.'],
    ['an endpoint', 'rules: [{select: {match: lab}, when: {noJobs: 1h}}]', 'no endpoint has a name like lab.'],
  ])('%s', async (_, policy, says) => {
    const account = await withLab();
    const ran = await account(`guard check --policy '${policyFile(policy)}'`);
    expect([ran.code, ran.err]).toEqual([0, expect.stringContaining(says)]);
    expect(ran.err.match(/lab (?:ended|matches)|no pod|no endpoint|The exception/g)?.length).toBeLessThanOrEqual(2);
  });

  it('and one in which all of it does something is not', async () => {
    const account = await withLab();
    const policy =
      'rules: [{select: {match: l*, gpu: gpu-24g, dataCenter: EU-NORTH-1}, when: {age: 52w}}]\nexceptions: [{match: pod-train, until: 2027-01-01}]';
    expect((await account(`guard check --policy '${policyFile(policy)}'`)).err).not.toMatch(/no pod|exception/);
  });
});

describe('what cannot be read in a policy', () => {
  it.each([
    [
      'the file of an unknown word',
      'rules: [{when: {age: 1h}, do: stpo}]',
      /guard\.yaml: rules\[0\]\.do is not one of/,
    ],
    ['the file that is no YAML', 'rules: [', /guard\.yaml is not YAML/],
    ['the file that is empty', '', /guard\.yaml: the policy is empty/],
  ])('names %s', async (_, policy, says) => {
    const ran = await createAccount()(`guard check --policy '${policyFile(policy)}'`);
    expect([ran.code, ran.err]).toEqual([2, expect.stringMatching(says)]);
  });
});

test('what is not judged for want of samples is said once, with the time between them', async () => {
  const account = createAccount();
  for (const name of ['a', 'b']) await local(account, `${CREATE} lab-${name} -o id`);
  await local(account, 'local clock advance 3h');
  for (const name of ['a', 'b']) await local(account, `local pods use lab-${name} --gpu 0 --cpu 0`);
  const { err } = await account("guard check --match 'lab-*' --idle 2h");
  expect(err).toContain('whether 2 pods were used is not known. It needs a sample at least every 12m for 2h');
  expect(err.match(/is not known/g)).toHaveLength(1);
});

test('a pod in ERROR comes with the command that ends its cost', async () => {
  const account = createAccount();
  const { out, err } = await account('guard run --match exits-at-once --idle 2h');
  expect([out, err]).toEqual([
    expect.stringContaining('only terminating ends its cost'),
    expect.stringContaining('pods terminate pod-broken'),
  ]);
});

test('the reason of a decision has room in a terminal of 80 columns', async () => {
  const world = createTestWorld({ tty: true, columns: 80 });
  const { out } = await berthIn(world, [
    '--local',
    'guard',
    'check',
    '--unused-storage',
    '--idle',
    '2h',
    '-o',
    'table',
  ]);
  expect(out).toContain('only terminating ends its cost; in ERROR and paid');
  expect(out).toMatch(/mounted nowhere: \$[\d.]+ an hour, \$[\d.]+ a month/);
});

test('guard run --every says without a terminal that it runs, once', async () => {
  const clock = createTestClock();
  const world = createTestWorld({ clock });
  const running = berthIn(world, ['--local', 'guard', 'run', '--every', '10m', '--idle', '1h']);
  while (clock.slept.filter((each) => each === 600_000).length < 3) await new Promise(setImmediate);
  world.signal('SIGINT');
  const { err } = await running;
  expect(err.match(/\d+ pods, \d+ over a limit or unknown; the next sweep is in 10m\./g)).toHaveLength(1);
});

describe('a deadline', () => {
  it('of a start comes with what the pod costs until then, also where it had it before, and when a guard last ran', async () => {
    const account = await withLab();
    await local(account, 'pods stop lab');
    expect((await account('pods start lab --stop-after 10h')).err).toMatch(
      /It costs \$6\.90 until its deadline in 10h, plus .*, if a guard runs\. Should it end in ERROR, .* ends that cost\. No guard has run on this machine/,
    );
    await local(account, 'pods stop lab');
    expect((await account('pods start lab')).err).toContain('It costs $6.90 until its deadline in 10h');
    expect((await account('pods start lab')).err).not.toContain('It costs');
  });

  it.each([
    ['--stop-after 4h', /restarts a pod.*pods start POD --stop-after 8h.*--locked on/s],
    ['--terminate-after=2d', /restarts a pod.*pods start POD --terminate-after 8h.*--locked on/s],
  ])('is no flag of an update, which says what there is: %s', async (flag, says) => {
    const ran = await createAccount()(`pods update pod-train ${flag}`);
    expect([ran.code, ran.err]).toEqual([2, expect.stringMatching(says)]);
  });
});

test('local reset forgets what guards know of the account: its pods have the ids of the old one', async () => {
  const account = await withLab();
  await local(account, 'guard snooze train-llm 5h');
  await local(account, 'guard run');
  await local(account, 'local reset --yes');
  expect(JSON.parse(await local(account, 'guard status --json'))).toMatchObject({ lastRun: null });
  expect(await rows(account, 'guard check --match train-llm --max-age 1h')).toMatchObject([{ verdict: 'over' }]);
});
