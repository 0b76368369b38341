import { expect, test } from 'vitest';
import { createAccount, local } from '../../../support/worlds/local-account.ts';

const NO_GPU = 'local stock set GPU-48G none';

test('a start refused for its full machine names the command that waits for it', async () => {
  const account = createAccount();
  await local(account, NO_GPU);
  const ran = await account('pods start pod-stopped');
  expect([ran.code, ran.err]).toEqual([
    5,
    expect.stringMatching(
      /To wait for them: berth .*pods start pod-stopped --until-available 6h\. Or create another pod/,
    ),
  ]);
});

test('a restart refused for a lock names the command that unlocks the pod', async () => {
  const ran = await createAccount()('pods restart pod-web --yes');
  expect([ran.code, ran.err]).toEqual([
    5,
    expect.stringMatching(
      /-> It is locked: berth .*pods update pod-web --locked off, then berth .*pods restart pod-web/,
    ),
  ]);
});

test('a dry run of a stop in a pipe says what it saves, and what costs on; of nothing, nothing', async () => {
  const account = createAccount();
  await local(account, 'pods create --name lab --gpu GPU-24G --image a/b:1 --persistent-size 100 --wait');
  const ran = await account('pods stop lab --dry-run');
  expect([ran.code, ran.err]).toEqual([
    0,
    expect.stringMatching(
      /This will stop 1 pod\. It saves \$[\d.]+ an hour\. It wipes its container disk; what is on mounts stays\. Its persistent mount \(100 GB\) costs money also while stopped/,
    ),
  ]);
  expect((await account('pods stop lab --dry-run --quiet')).err).toBe('');
  expect((await account('pods stop nothing --dry-run')).err).not.toContain('saves');
});

test('a stop and a restart say that they wiped the container disk, where nobody was asked about it', async () => {
  const account = createAccount();
  await local(account, 'pods create --name lab --gpu GPU-24G --image a/b:1 --wait');
  const wiped = 'This wiped its container disk; what is on mounts stays.';
  expect((await account('pods restart lab --yes --wait')).err).toContain(wiped);
  expect((await account('pods restart lab --yes --wait --json')).err).not.toContain('wiped');
  expect((await account('pods stop lab')).err).toContain(wiped);
  expect((await account('pods stop lab')).err).not.toContain(wiped);
});

test('a start says that a large container disk is paid too, as the create does; of a usual one, nothing', async () => {
  const account = createAccount();
  const CREATE = 'pods create --gpu GPU-24G --image a/b:1 --wait --name';
  const line = 'until it is stopped. Its container disk (500 GB) is paid too, at a price that is not published.';
  expect((await account(`${CREATE} large --disk 500`)).err).toContain(line);
  await local(account, `${CREATE} larger --disk 700`);
  await local(account, `${CREATE} usual --disk 20`);
  await local(account, 'pods stop large larger usual --wait');
  expect((await account("pods start --match 'larg?' --dry-run")).err).toContain(line);
  expect((await account('pods start large --dry-run')).err).toContain(line);
  expect((await account('pods start large')).err).toContain(line);
  expect((await account('pods start usual')).err).not.toContain('container disk');
  await local(account, 'pods stop large usual --wait');
  expect((await account('pods start large usual')).err).toMatch(
    /They cost .* until they are stopped\. The container disk of 1 pod \(500 GB\) is paid too, at a price/,
  );
  await local(account, 'pods stop large --wait');
  expect((await account('pods start large larger')).err).toContain(
    'The container disks of 2 pods (1200 GB) are paid too, at a price that is not published.',
  );
});

test('a pod that runs already is not said to cost something new by a start', async () => {
  const account = createAccount();
  await local(account, 'pods create --name lab --gpu GPU-24G --image a/b:1 --wait');
  const again = await account('pods start lab');
  expect([again.code, again.err]).toEqual([0, expect.stringContaining('RUNNING already: nothing was changed')]);
  expect(again.err).not.toContain('It costs');
});

test('a start of a pod that runs already without its GPU names that again', async () => {
  const account = createAccount();
  await local(account, 'local fault add start-without-gpu --count 1');
  await local(account, 'pods start pod-stopped --wait');
  const again = await account('pods start pod-stopped');
  expect([again.code, again.err]).toEqual([
    0,
    expect.stringMatching(/nothing was changed[^]*has started without its GPU\. Stop it:/),
  ]);
  expect(again.err).not.toContain('It costs');
});

test.each([
  ['stop', ['pod-stopped', 'pod-train', 'pod-stopped-cpu'], ['unchanged', 'stopped', 'unchanged'], 'EXITED'],
  ['start', ['pod-train', 'pod-stopped-cpu'], ['unchanged', 'started'], 'RUNNING'],
])('%s of several says which were as asked before: nothing was done to them', async (verb, pods, results, status) => {
  for (const wait of ['', ' --wait']) {
    const ran = await createAccount()(`pods ${verb} ${pods.join(' ')}${wait}`);
    expect(ran.out.match(/\b(?<!-)(unchanged|stopped|started)\b/g)).toEqual(results);
    const before = pods.filter((_, at) => results[at] === 'unchanged');
    for (const pod of before) expect(ran.err).toContain(`pod ${pod} is ${status} already: nothing was changed.`);
    expect(ran.err).not.toContain('their container disks');
    const rows = JSON.parse(await local(createAccount(), `pods ${verb} ${pods.join(' ')}${wait} --json`)) as object[];
    expect(rows.map((row) => 'unchanged' in row)).toEqual(results.map((result) => result === 'unchanged'));
  }
});
