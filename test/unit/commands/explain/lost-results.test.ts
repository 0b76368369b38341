import { expect, test } from 'vitest';
import { json, pointedAt, routed, serve, text } from '../../../support/servers/scripted-server.ts';
import { berth } from '../../../support/worlds/run-berth.ts';

const LINES = [
  'asked for its next job, and has sent no result of job job-1, which runs until its execution timeout',
  'the result of job job-1 was refused (400): no JSON; it runs until its execution timeout unless another one comes',
];

/** What `explain` says of an endpoint whose busy worker has this line in its system log, about a job in a status. */
async function explained(line: string, status: string): Promise<unknown> {
  const health = { jobs: { inProgress: 1, inQueue: 0 }, workers: { running: 1, idle: 0 } };
  const log = ['ready', line].map((each) => `data: ${JSON.stringify({ line: each })}\n\n`).join('');
  const route = routed({
    'GET /v2/serverless/ep1': json({ id: 'ep1', name: 'mine', workers: { min: 0, max: 3 } }),
    'GET /v2/serverless/ep1/workers': json({ workers: [{ id: 'w1', status: 'RUNNING' }], summary: { running: 1 } }),
    'GET /v2/ep1/health': json(health),
    'GET /v2/serverless/ep1/workers/w1/logs': text(log, 200, { 'content-type': 'text/event-stream' }),
    'GET /v2/ep1/status/job-1': json({ id: 'job-1', status }),
  });
  const { url } = await serve(Array.from({ length: 20 }, () => route));
  const ran = await berth(['endpoints', 'explain', 'ep1', '--exit-status', '--json'], { env: pointedAt(url) });
  return { exit: ran.code, ...(JSON.parse(ran.out) as object) };
}

test.each(LINES)('endpoints explain names a running job whose result was lost: %s', async (line) => {
  expect(await explained(line, 'IN_PROGRESS')).toMatchObject({
    exit: 10,
    code: 'no-result',
    state: 'blocked',
    verdict: `job job-1 has no result: ${line}`,
    cure: [
      expect.stringMatching(/ endpoints logs ep1 w1$/) as string,
      expect.stringMatching(/ jobs cancel ep1 job-1$/) as string,
    ],
    evidence: expect.arrayContaining([
      { fact: 'worker log', value: line, source: 'GET /v2/serverless/ep1/workers/w1/logs?source=system' },
    ]) as unknown,
  });
});

test.each([
  ['a lost result of a job that has ended', LINES[0] ?? '', 'TIMED_OUT'],
  ['another line', 'job job-1 was taken', 'IN_PROGRESS'],
])('endpoints explain does not mind %s', async (_, line, status) => {
  expect(await explained(line, status)).toMatchObject({ exit: 0, code: 'healthy' });
});
