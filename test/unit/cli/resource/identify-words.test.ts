import { describe, expect, test } from 'vitest';
import { createAccount } from '../../../support/worlds/local-account.ts';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { json } from '../../../support/servers/scripted-server.ts';
import { runRecorded } from '../../../support/servers/recorded-requests.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';

describe('one word', () => {
  test('that is the id of one resource and the name of another is the id', async () => {
    const { ran, requests } = await runRecorded(['jobs', 'status', 'ep1', 'gone'], {
      'GET /v2/serverless': json({
        endpoints: [
          { id: 'ep1', name: 'demo' },
          { id: 'ep2', name: 'ep1' },
        ],
      }),
    });
    expect(ran.code).toBe(4);
    expect(requests).toEqual(['GET /v2/ep1/status/gone', 'GET /v2/serverless']);
  });

  test('that is a model slug is sent as it is', async () => {
    const { ran, requests } = await runRecorded(['jobs', 'run', 'openai/whisper', '--input', '{}'], {
      'POST /v2/openai%2Fwhisper/run': json({ id: 'j1', status: 'IN_QUEUE' }),
    });
    expect([ran.code, ran.out]).toEqual([0, 'j1\n']);
    expect(requests).toEqual(['POST /v2/openai%2Fwhisper/run']);
  });
});

describe('other ways to a resource', () => {
  test('a pod of a cluster is found by its name', async () => {
    const created = ['clusters', 'create', '--name', 'train', '--type', 'TRAINING', '--gpu', 'GPU-80G'];
    const world = createTestWorld({ env: { BERTH_LOCAL: '1' } });
    const more = ['--gpu-count', '8', '--pods', '2', '--image', 'x', '--data-center', 'EU-NORTH-1'];
    expect((await berthIn(world, [...created, ...more])).code).toBe(0);
    const members = await berthIn(world, ['clusters', 'pods', 'train', '--json', '--jq', '.[0].id', '--raw']);
    const { code, out } = await berthIn(world, ['pods', 'get', 'train-0', '-o', 'id']);
    expect([code, out]).toEqual([0, members.out]);
  });
});

describe('an id and a name of one thing', () => {
  test.each([
    'pods stop pod-train train-llm pod-train',
    'pods stop train-llm pod-train --dry-run',
    'pods terminate train-llm pod-train --yes --force',
    'volumes delete scratch vol-scratch --yes --force',
  ])('are one thing: %s', async (line) => {
    const { code, out, err } = await createAccount()(`${line} --json`);
    expect([code, err]).toEqual([0, expect.not.stringMatching(/2 (pods|volumes)/)]);
    const rows = JSON.parse(out) as unknown;
    expect(Array.isArray(rows) ? rows : [rows]).toHaveLength(1);
  });
});
