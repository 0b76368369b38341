import { expect, test } from 'vitest';
import { createAccount, type Account } from '../../../support/worlds/local-account.ts';

const TERMINAL = { tty: true, columns: 400 };

async function account(): Promise<Account> {
  const run = createAccount();
  await run('clusters create --name train --type TRAINING --gpu GPU-80G --gpu-count 8 --pods 2 --image a/b');
  await run('local clock advance 1h');
  return run;
}

test('list and get of clusters show what each costs an hour, which JSON does not have', async () => {
  const run = await account();
  expect((await run('clusters list', TERMINAL)).out).toMatch(/COST\/H[^]*train.*\$38\.24/);
  const shown = (await run('clusters get train', TERMINAL)).out;
  expect(shown).toContain('$38.24 an hour');
  expect(shown.match(/38\.24/g)).toHaveLength(1);
  expect((await run('clusters get train --json')).out).not.toContain('cost');
});

test('the question of a delete says what it saves', async () => {
  const run = await account();
  expect((await run('clusters delete train --dry-run', TERMINAL)).err).toContain('It saves $38.24 an hour.');
});

test('the answer of a create has no line of a cost that the service does not send', async () => {
  const run = createAccount();
  const created = await run(
    'clusters create --name train --type TRAINING --gpu GPU-80G --gpu-count 8 --pods 2 --image a/b --yes',
    TERMINAL,
  );
  expect(created.err).toContain('$38.24 an hour');
  expect(created.out).toContain('train');
  expect(created.out).not.toContain('cost');
  expect((await run('clusters update train --name other', TERMINAL)).out).not.toContain('cost');
});
