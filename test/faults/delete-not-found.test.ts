import { describe, expect, test } from 'vitest';
import { problem } from '../support/servers/scripted-server.ts';
import { fails } from '../support/worlds/expect-run.ts';
import { createAccount, local } from '../support/worlds/local-account.ts';

// Row 12 of docs/faults.md: a DELETE that was answered 429 and then 404 has deleted nothing.

/** One of the kit, and one that is not of it: the command, a name and its id, the list and the path of the DELETE. */
test.each([
  ['pods terminate', 'train-llm', 'pod-train', 'pods list', '/v2/pods'],
  [
    'registries delegations revoke',
    'images of the team',
    'dlg-images',
    'registries delegations list',
    '/v2/registries/delegations',
  ],
])('%s %s, put off once by the rate limit, deletes it; a wrong id ends 4 and deletes nothing', async (...each) => {
  const [verb, name, id, list, path] = each;
  const account = createAccount();
  const limited = () => local(account, `local fault add rate-limit --count 1 --match 'DELETE ${path}'`);
  const before = await local(account, `${list} -o id`);
  await limited();
  const wrong = await account(`${verb} ${id}x --yes`);
  expect([wrong.code, wrong.out, wrong.err]).toEqual([4, '', expect.stringMatching(/^error: (no |.*404)/)]);
  expect(await local(account, `${list} -o id`)).toBe(before);
  await limited();
  await local(account, `${verb} '${name}' --yes`);
  expect(await local(account, `${list} -o id`)).toBe(before.replace(new RegExp(`^${id}\n?`, 'm'), '').trim());
});

test('of several names, each is deleted by its own id', async () => {
  const account = createAccount();
  const before = await local(account, 'volumes list -o id');
  for (const name of ['v1', 'v2'])
    await local(account, `volumes create --name ${name} --size 10 --data-center EU-NORTH-1`);
  await local(account, "local fault add rate-limit --count 2 --match 'DELETE /v2/network-volumes'");
  await local(account, 'volumes delete v1 v2 --yes');
  expect(await local(account, 'volumes list -o id')).toBe(before);
});

describe('a DELETE that is answered 429 and then 404', () => {
  const putOff = [problem(429, 'rate limit exceeded'), problem(404, 'resource not found')];

  test('berth api: 4', async () => {
    const argv = ['api', 'DELETE', '/v2/registries/delegations/d1', '--yes'];
    const { servers } = await fails(argv, { exit: 4, says: ['404', 'resource not found', /tried 2 times/] }, putOff);
    expect(servers[0].seen.map(({ method }) => method)).toEqual(['DELETE', 'DELETE']);
  });

  test('a name that cannot be looked up: 3 with the reason', async () => {
    await fails(
      ['registries', 'delegations', 'revoke', 'd1', '--yes'],
      { exit: 3, says: ['could not look up', 'not allowed to list'] },
      [...putOff, problem(403, 'not allowed to list')],
    );
  });
});
