import { expect, test } from 'vitest';
import { fails, works } from '../support/worlds/expect-run.ts';
import { json, KEY, routed, text, type Behaviour } from '../support/servers/scripted-server.ts';

// The client against a queue that answers exactly what the specification shows (section 4) and nothing more: no further members,
// headers or bodies; contract/recorder.test.ts has the least that the management API answers.

/** An error of the queue API: a status without a body. */
const bare = (status: number): Behaviour => text('', status);

const queued = json({ id: 'job1', status: 'IN_QUEUE' });
const done = { id: 'job1', status: 'COMPLETED', delayTime: 31, executionTime: 1200, output: { n: 1 } };

/** Answers the first requests in this order, and the others like the last. */
const inTurn = (...answers: readonly unknown[]): Behaviour => {
  let count = 0;
  return (exchange) => {
    json(answers[Math.min(count++, answers.length - 1)])(exchange);
  };
};
const chunk = (word: string) => [{ output: { text: [word], input_tokens: 1 }, metrics: { stream_index: 1 } }];

const minimal = (): Behaviour =>
  routed(
    {
      'DELETE /v2/registries/delegations/d-empty': text('', 200),
      'DELETE /v2/registries/delegations/d-none': text('', 204),
      'POST /v1/networkvolumes': json({ id: 'vol1', name: 'data', size: 100, dataCenterId: 'DC-1' }),
      'POST /v2/ep1/run': queued,
      'POST /v2/ep1/runsync': json({ ...done, id: 'sync-1' }),
      'POST /v2/some-model-slug/runsync': json({ ...done, id: 'sync-1' }),
      'GET /v2/ep1/status/job1': inTurn({ id: 'job1', status: 'IN_PROGRESS', delayTime: 31, executionTime: 0 }, done),
      'GET /v2/ep1/status/failed': json({ id: 'failed', status: 'FAILED', delayTime: 1, executionTime: 2 }),
      'GET /v2/ep1/stream/job1': inTurn(chunk('Hello, '), chunk('world'), []),
      'POST /v2/ep1/cancel/job1': json({ id: 'job1', status: 'CANCELLED' }),
      'POST /v2/ep1/retry/failed': json({ id: 'failed', status: 'IN_QUEUE' }),
      'POST /v2/ep1/purge-queue': json({ removed: 3, status: 'completed' }),
      'GET /v2/ep1/health': json({
        jobs: { completed: 9, failed: 1, inProgress: 2, inQueue: 3, retried: 0 },
        workers: { idle: 1, running: 2 },
      }),
    },
    bare(404),
  );

const SYNC = '--sync --sync-wait 120s';

test.each<readonly [line: string, out: RegExp, requests: readonly string[]]>([
  ['registries delegations revoke d-empty --yes', /^$/, ['DELETE /v2/registries/delegations/d-empty']],
  ['registries delegations revoke d-none --yes', /^$/, ['DELETE /v2/registries/delegations/d-none']],
  ['volumes create --name data --size 100 --data-center DC-1', /^vol1\n$/, []],
  ['jobs run ep1 --input {"n":1}', /^job1\n$/, ['POST /v2/ep1/run']],
  [
    'jobs run ep1 --input {"n":1} --wait --json',
    /"n": 1/,
    ['POST /v2/ep1/run', 'GET /v2/ep1/status/job1', 'GET /v2/ep1/status/job1'],
  ],
  [`jobs run ep1 --input {} ${SYNC}`, /COMPLETED/, ['POST /v2/ep1/runsync?wait=120000']],
  [`jobs run some-model-slug --input {} ${SYNC}`, /COMPLETED/, ['POST /v2/some-model-slug/runsync?wait=120000']],
  ['jobs status ep1 job1', /IN_PROGRESS/, []],
  ['jobs status ep1 job1 --ttl 6s', /IN_PROGRESS/, ['GET /v2/ep1/status/job1?ttl=6000']],
  ['jobs stream ep1 job1', /^Hello, world\n$/, []],
  ['jobs run ep1 --input {} --stream', /^Hello, world\n$/, []],
  ['jobs wait ep1 job1 -o id', /^job1\n$/, []],
  ['jobs cancel ep1 job1', /CANCELLED|^$/, []],
  ['jobs retry ep1 failed', /IN_QUEUE|^$/, []],
  ['queue purge ep1 --yes --json', /"removed": 3/, []],
  ['health ep1', /^(?=[^]*in queue)(?=[^]*in progress)(?=[^]*completed)(?=[^]*idle)[^]*running/, []],
])('berth %s', async (line, out, requests) => {
  const ran = await works(line.split(' '), [minimal()]);
  expect(ran.out).toMatch(out);
  const { seen } = ran.server;
  if (requests.length > 0) expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual(requests);
  expect(new Set(seen.map(({ headers }) => headers.authorization))).toEqual(new Set([`Bearer ${KEY}`]));
});

test('an unknown job, answered with an empty 404: 4 with the possible reasons', async () => {
  for (const verb of ['status', 'stream', 'wait', 'cancel', 'retry'])
    await fails(['jobs', verb, 'ep1', 'nope'], { exit: 4, says: ['404', /Results are kept/] }, [routed({}, bare(404))]);
});

test.each([
  [400, 5],
  [401, 3],
  [403, 3],
  [413, 5],
  [429, 6],
  [500, 8],
] as const)('a job that is answered with a bare %i: %i', async (status, exit) => {
  await fails(['jobs', 'run', 'ep1', '--input', '{}'], { exit, says: [String(status)] }, [bare(status)]);
});
