import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { remoteService } from '../../../support/servers/remote-service.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { worldAt } from '../../../support/worlds/killed-runs.ts';
import { berthIn } from '../../../support/worlds/run-berth.ts';

const THIRTY = Array.from({ length: 30 }, (_, at) => String(at));

const fleet = (image: string): string =>
  [
    `{kind: template, name: base, image: 'a/b:1', serverless: true}`,
    ...THIRTY.flatMap((at) => [
      `{kind: endpoint, name: api-${at}, image: '${image}', gpu: {pools: [POOL-24G]}, workers: {min: 1}}`,
      `{kind: pod, name: lab-${at}, image: '${image}', cpu: {id: cpu-general, vcpuCount: 2}}`,
    ]),
  ].join('\n---\n');

test(
  'a plan of thirty endpoints and thirty pods is one list of each kind, and an apply one write for each thing',
  { timeout: 600_000 },
  async () => {
    let seen: string[] = [];
    const remote = await remoteService(({ method, url }) => {
      seen.push(`${method} ${(url.split('?', 1)[0] ?? '').replace(/(serverless|pods)\/[^/]*/, '$1/ID')}`);
      return undefined;
    });
    const directory = temporaryDirectory();
    const counted = async (...argv: readonly string[]) => {
      seen = [];
      const ran = await berthIn(worldAt(remote.env, directory), argv);
      const counts = Object.fromEntries(
        [...new Set(seen)].map((each) => [each, seen.filter((one) => one === each).length]),
      );
      return { code: ran.code, counts };
    };
    const lists = { 'GET /v2/templates': 1, 'GET /v2/serverless': 1, 'GET /v2/pods': 1 };
    // The prices of all things are those of one list of each catalog.
    const prices = { 'GET /v2/catalog/gpus': 1, 'GET /v2/catalog/cpus': 1 };
    writeFileSync(path.join(directory, 'fleet.yaml'), fleet('a/b:1'));
    expect(await counted('plan', 'fleet.yaml')).toEqual({ code: 16, counts: { ...lists, ...prices } });
    const creates = { 'POST /v2/templates': 1, 'POST /v2/serverless': 30, 'POST /v2/pods': 30 };
    // For the plan, and for doubles after the last create of a kind.
    const looks = Object.fromEntries(Object.keys(lists).map((list) => [list, 2]));
    expect(await counted('apply', 'fleet.yaml', '--yes')).toEqual({
      code: 0,
      counts: { ...looks, ...prices, ...creates },
    });
    expect(await counted('plan', 'fleet.yaml')).toEqual({
      code: 0,
      counts: { ...lists, 'GET /v2/catalog/gpus': 1 },
    });
    writeFileSync(path.join(directory, 'fleet.yaml'), fleet('a/b:2'));
    expect(await counted('apply', 'fleet.yaml', '--yes')).toEqual({
      code: 0,
      counts: {
        ...lists,
        'GET /v2/catalog/gpus': 1,
        'PATCH /v2/serverless/ID': 30,
        'PATCH /v2/pods/ID': 30,
      },
    });
  },
);
