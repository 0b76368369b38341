import { expect, test } from 'vitest';
import { json, pointedAt, problem, routed, serve } from '../../../support/servers/scripted-server.ts';
import { berth } from '../../../support/worlds/run-berth.ts';

/** An account with the endpoint e1, named lab. A public model has a queue, and is in no list. */
const account = () =>
  serve([
    routed({
      'GET /v2/serverless': json({ endpoints: [{ id: 'e1', name: 'lab' }] }),
      'GET /v2/serverless/e1': json({ id: 'e1', name: 'lab' }),
      'GET /v2/serverless/lab': problem(404, 'endpoint not found'),
      'GET /v2/open-model/health': json({ jobs: {}, workers: {} }),
    }),
  ]);

test.each([
  ['run by id', ['run', 'e1', '--input', '{"n":1}'], '/v2/e1/run'],
  ['run by name', ['run', 'lab', '--input', '{"n":1}'], '/v2/e1/run'],
  ['run of a public model', ['run', 'open-model', '--input', '{"n":1}'], '/v2/open-model/run'],
  ['run --sync of a public model', ['run', 'open-model', '--sync', '--input', '{"n":1}'], '/v2/open-model/runsync'],
  ['cancel of a public model', ['cancel', 'open-model', 'job-1'], '/v2/open-model/cancel/job-1'],
  ['retry of a public model', ['retry', 'open-model', 'job-1'], '/v2/open-model/retry/job-1'],
])('a dry run prints the request and sends none that writes: jobs %s', async (_, argv, path) => {
  const server = await account();
  const ran = await berth(['jobs', ...argv, '--dry-run'], { env: pointedAt(server.url) });
  expect(ran.code, ran.err).toBe(0);
  const { method, url, body } = JSON.parse(ran.out) as Readonly<Record<string, unknown>>;
  expect([method, new URL(url as string).pathname]).toEqual(['POST', path]);
  if (argv[0] === 'run') expect(body).toEqual({ input: { n: 1 } });
  expect(server.seen.filter((each) => each.method !== 'GET')).toEqual([]);
});
