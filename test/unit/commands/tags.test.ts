import { describe, expect, test } from 'vitest';
import { json, pointedAt, problem, routed, serve, text } from '../../support/servers/scripted-server.ts';
import { createAccount, local } from '../../support/worlds/local-account.ts';
import { berth } from '../../support/worlds/run-berth.ts';

describe('tags', () => {
  test('are created, renamed by key and value, put on resources by name, taken off and deleted', async () => {
    const run = createAccount();
    const id = (await local(run, 'tags create env=prod')).trim();
    expect(JSON.parse(await local(run, 'tags get env=prod --json'))).toMatchObject({ id, key: 'env', value: 'prod' });
    const added = await run('tags add env=prod pod/train-llm volume/datasets endpoint/echo');
    expect([added.code, added.out.match(/tagged/g)?.length], added.err).toEqual([0, 3]);
    expect((await run('tags remove env=prod pod/train-llm')).err).toContain('untagged pod pod-train\n');
    await local(run, 'tags update env=prod --value production');
    expect(await local(run, 'tags list --fields key,value')).toContain('env\tproduction');
    await local(run, 'tags delete env=production --yes');
    expect(JSON.parse(await local(run, 'tags list --json'))).toEqual([]);
  });

  test.each([
    ['tags create prod', 'Write KEY=VALUE'],
    ['tags create =prod', 'Write KEY=VALUE'],
    ['tags add env=prod lab', 'Write TYPE/ID'],
    ['tags add env=prod template/x', 'Write TYPE/ID'],
    ['tags delete env=prod', '--yes'],
  ])('%s ends 2 and sends nothing', async (line, words) => {
    const server = await serve([problem(500, 'not expected')]);
    const { code, err } = await berth(line.split(' '), { env: pointedAt(server.url) });
    expect([code, err, server.seen]).toEqual([2, expect.stringContaining(words), []]);
  });

  test('by ids they send one request a resource, also where one is not there', async () => {
    const server = await serve([
      routed(
        {
          'PUT /v2/tags/t1/resources/POD/p1': text('', 204),
          'PUT /v2/tags/t1/resources/NETWORK_VOLUME/v1': text('', 204),
        },
        problem(404, 'no such resource'),
      ),
    ]);
    const ran = await berth('tags add t1 pod/p1 volume/v1'.split(' '), { env: pointedAt(server.url) });
    expect([ran.code, server.seen.length]).toEqual([0, 2]);
  });
});

describe('global volumes', () => {
  test('are created by name, shown and deleted', async () => {
    const run = createAccount();
    const id = (await local(run, 'global-volumes create models')).trim();
    expect(JSON.parse(await local(run, 'global-volumes get models --json'))).toMatchObject({ id, name: 'models' });
    expect((await run('global-volumes delete models')).code).toBe(2);
    expect((await run('global-volumes delete models --yes')).err).toContain('deleted global volume models');
    expect(JSON.parse(await local(run, 'global-volumes list --json'))).toEqual([]);
  });

  test('a create whose answer was lost ends 8, and names the list', async () => {
    const server = await serve([json({}, 201)]);
    const { code, err } = await berth(['global-volumes', 'create', 'm'], { env: pointedAt(server.url) });
    expect([code, err]).toEqual([8, expect.stringContaining('berth global-volumes list')]);
  });
});
