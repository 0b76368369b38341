import { describe, expect, test } from 'vitest';
import { pointedAt, problem, serve } from '../../../support/servers/scripted-server.ts';
import { createAccount, local } from '../../../support/worlds/local-account.ts';
import { berth } from '../../../support/worlds/run-berth.ts';

describe('a dry run of a delete', () => {
  test('is refused for what is protected (5), as the action of a locked pod is', async () => {
    const account = createAccount();
    expect((await account('pods terminate pod-web --dry-run')).err).toContain('is locked');
    expect((await account('pods terminate pod-web --dry-run')).code).toBe(5);
    expect((await account('pods terminate pod-web --yes')).code).toBe(5);
    expect((await account('pods terminate pod-web --dry-run --force')).code).toBe(0);
    // Its name is enough, by one list.
    expect((await account('pods terminate web-frontend --dry-run')).code).toBe(5);
  });
});

describe('a dry run prints the id in place of the name:', () => {
  test.each([
    ['pods update train-llm --name a', '/v2/pods/pod-train'],
    ['queue purge echo', '/v2/echo/purge-queue'],
    ["registries delegations revoke 'images of the team'", '/v2/registries/delegations/dlg-images'],
    ['jobs run captions --input {}', '/v2/ep-000001/run'],
  ])('%s', async (line, path) => {
    const account = createAccount();
    await local(account, 'endpoints create --name captions --image i --gpu-pool POOL-24G');
    const { code, out, err } = await account(`${line} --dry-run`);
    expect(code, err).toBe(0);
    expect(err).not.toContain('is a name');
    expect(new URL((JSON.parse(out) as { url: string }).url).pathname).toMatch(new RegExp(`${path}$`));
  });
});

describe('a dry run prints the request also where the service cannot be read:', () => {
  test.each([
    'pods stop p1',
    'pods create --name a --gpu g --image i --network-volume v:/a',
    'queue purge e1',
    'jobs cancel e1 j1',
    'jobs run e1 --input {}',
    'registries delete r1',
  ])('%s', async (line) => {
    const server = await serve([problem(403, 'not with this key')]);
    const env = { ...pointedAt(server.url), BERTH_QUEUE_URL: server.url };
    for (const tty of [false, true]) {
      const { code, out, err } = await berth([...line.split(' '), '--dry-run'], { env, tty });
      expect([code, out], err).toEqual([0, expect.stringMatching(tty ? /request|METHOD/ : /"method"/)]);
    }
    expect(server.seen.every(({ method }) => method === 'GET')).toBe(true);
  });
});

describe('a dry run about several prints the requests that would be sent, and ends as the command would:', () => {
  test.each([
    ['pods start pod-stopped nothing', 4, ['/v2/pods/pod-stopped/action'], 'nothing: '],
    ['secrets delete api-token nothing', 4, ['/v2/account/secrets/'], 'nothing: '],
  ])('%s', async (line, exit, paths, why) => {
    const account = createAccount();
    for (const tty of [false, true]) {
      const { code, out, err } = await account(`${line} --dry-run`, { tty, columns: 200 });
      expect([code, err], out).toEqual([exit, expect.stringContaining(why)]);
      if (tty) {
        for (const path of paths) expect(out).toContain(path);
        continue;
      }
      const requests = JSON.parse(out) as readonly { readonly url: string }[];
      expect(requests.map(({ url }) => new URL(url).pathname)).toEqual(
        paths.map((path) => expect.stringContaining(path) as string),
      );
    }
    expect((await account(`${line}${line.startsWith('secrets') ? ' --yes' : ''}`)).code).toBe(exit);
  });
});

test.each<readonly [string, string, string]>([
  ['pods terminate pod-train --dry-run', 'write', 'full'],
  ['pods create --name a --gpu GPU-24G --image i --dry-run', 'read', 'write'],
  ['pods terminate --match train-llm --dry-run', 'read', 'full'],
  ['pods stop pod-train --dry-run', 'write', ''],
])('%s with `%s` access ends as it would be refused for: %j', async (line, access, needed) => {
  const { code, out, err } = await createAccount()(line, { env: { BERTH_ACCESS: access } });
  expect(code).toBe(needed === '' ? 0 : 3);
  expect(out).toContain('"method"');
  const said = `error: this needs \`${needed}\` access, and the setting access is \`${access}\``;
  expect(err.includes(said)).toBe(needed !== '');
});
