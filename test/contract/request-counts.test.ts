import { describe, expect, test } from 'vitest';
import { json, pointedAt, problem, routed, serve, text } from '../support/servers/scripted-server.ts';
import { berth } from '../support/worlds/run-berth.ts';

const POD = { id: 'p0', name: 'lab', status: 'RUNNING', cost: 0.5, env: {}, ports: [] };
const VOLUME = { id: 'v0', name: 'data', size: 10, dataCenter: 'DC-1' };
const SECRET = { id: 's0', name: 'token', createdAt: '2026-01-01T00:00:00Z' };

const HEALTH = { jobs: { inQueue: 1 }, workers: {} };
const CLUSTER = { id: 'c0', name: 'train', pods: { total: 2 } };
const NEW_CLUSTER = 'clusters create new --type RAY --gpu GPU-24G --gpu-count 1 --pods 2 --image i';

const many = (count: number, one: Readonly<Record<string, unknown>>, prefix: string) =>
  Array.from({ length: count }, (_, at) =>
    at === 0 ? one : { ...one, id: `${prefix}${at}`, name: `${prefix}-${at}` },
  );

/** An account with 60 endpoints and 30 pods. */
const account = () =>
  serve([
    routed(
      {
        'GET /v2/pods': json({ pods: many(30, POD, 'p') }),
        'GET /v2/serverless': json({ endpoints: many(60, { id: 'e0', name: 'api', networkVolumes: [] }, 'e') }),
        'GET /v2/network-volumes': json({ networkVolumes: many(5, VOLUME, 'v') }),
        'GET /v2/account/secrets': json({ secrets: [SECRET] }),
        'GET /v2/catalog/gpus': json({ gpus: [{ id: 'GPU-24G', price: { secure: 0.5 } }] }),
        'GET /v2/pods/p0': json(POD),
        'PATCH /v2/pods/p0': json(POD),
        'DELETE /v2/pods/p0': text('', 204),
        'POST /v2/pods/p0/action': json({ ...POD, status: 'STARTING' }),
        'POST /v2/pods/p1/action': json({ ...POD, id: 'p1', status: 'STARTING' }),
        'POST /v2/pods': json({ ...POD, id: 'new' }, 201),
        'GET /v2/network-volumes/v0': json(VOLUME),
        'PATCH /v2/network-volumes/v0': json(VOLUME),
        'DELETE /v2/network-volumes/v0': text('', 204),
        'POST /v2/network-volumes': json({ ...VOLUME, id: 'new' }, 201),
        'GET /v2/account/secrets/s0': json(SECRET),
        'PATCH /v2/account/secrets/s0': json(SECRET),
        'GET /v2/e0/health': json(HEALTH),
        'GET /v2/slug/health': json(HEALTH),
        'POST /v2/e0/purge-queue': json({ removed: 1 }),
        'GET /v2/clusters': json({ clusters: [CLUSTER] }),
        'GET /v2/clusters/c0': json(CLUSTER),
        'POST /v2/clusters': json(CLUSTER, 201),
        'DELETE /v2/clusters/c0': text('', 204),
      },
      problem(404, 'no such resource'),
    ),
  ]);

describe('a command sends what it needs and nothing more:', () => {
  test.each<[string, number]>([
    ['pods list', 1],
    ['pods get p0', 1],
    ['pods get lab', 2],
    ['pods stop p0', 1],
    ['pods stop lab', 3],
    ['pods stop p0 p1', 2],
    ['pods stop --match lab --yes', 2],
    ['pods start p0', 1],
    ['pods restart p0', 1],
    ['pods update p0 --name other', 1],
    ['pods update lab --name other', 3],
    ['pods terminate p0 --yes', 2],
    ['pods terminate lab --yes', 3],
    ['pods create new --gpu GPU-24G --image i', 2],
    ['pods create new --gpu GPU-24G --image i --json', 1],
    ['pods wait p0', 1],
    ['volumes list', 1],
    ['volumes get v0', 1],
    ['volumes get data', 2],
    ['volumes create new --size 10 --data-center DC-1 --type STANDARD', 1],
    ['volumes update v0 --name other', 1],
    ['volumes update data --name other', 3],
    ['volumes delete v0 --yes', 4],
    ['volumes delete data --yes', 5],
    ['secrets get token', 2],
    ['secrets update s0 --description d', 1],
    ['health e0', 1],
    ['health api', 2],
    ['queue purge e0 --yes', 1],
    ['queue purge api --yes', 2],
    ['queue purge api --dry-run', 1],
    ['queue purge slug --dry-run', 2],
    ['clusters list', 1],
    ['clusters get train', 2],
    [NEW_CLUSTER, 2],
    ['clusters delete c0 --yes', 1],
    ['clusters delete train --yes', 3],
  ])('%s: %i', async (line, count) => {
    const server = await account();
    const ran = await berth(line.split(' '), { env: pointedAt(server.url) });
    expect(ran.code, ran.err).toBe(0);
    const sent = server.seen.map(({ method, url }) => `${method} ${url}`);
    expect(sent, sent.join('\n')).toHaveLength(count);
  });
});
