import { describe, expect, test } from 'vitest';
import { json, pointedAt, serve, text, type Behaviour } from '../../../support/servers/scripted-server.ts';
import { berth } from '../../../support/worlds/run-berth.ts';

const away = text('no healthy upstream', 503);
const pod = (status: string, id = 'pod1'): Behaviour =>
  json({ id, name: 'a', status, actions: [], image: 'i', ports: [], env: {}, mounts: {} });
const job = (id: string, status: string): Behaviour => json({ id, status, output: 1 });

async function run(line: string, behaviours: readonly Behaviour[]) {
  const server = await serve(behaviours);
  return await berth(line.split(' '), { env: pointedAt(server.url) });
}
const outage = (polls: number): readonly Behaviour[] => Array.from({ length: polls * 4 }, () => away);

describe('a wait goes on while the service is unreachable', () => {
  test('for a pod, and says so', async () => {
    const ran = await run('pods wait pod1 --for RUNNING', [pod('CREATED'), ...outage(8), pod('RUNNING')]);
    expect([ran.code, ran.err]).toEqual([0, expect.stringMatching(/no answer for \d+s \(/)]);
  });

  test('for a job, and for jobs', async () => {
    const started = job('j1', 'IN_PROGRESS');
    expect((await run('jobs wait ep j1', [started, ...outage(3), job('j1', 'COMPLETED')])).code).toBe(0);
    const submitted = await run('jobs run ep --input {} --wait', [
      job('j1', 'IN_QUEUE'),
      ...outage(3),
      job('j1', 'COMPLETED'),
    ]);
    expect(submitted.code, submitted.err).toBe(0);
    // They are read at once, in any order.
    const answers = {
      j1: [started, job('j1', 'COMPLETED')],
      j2: [job('j2', 'IN_QUEUE'), ...outage(3), job('j2', 'COMPLETED')],
    };
    const both = await run('jobs wait ep j1 j2', [
      (exchange) => answers[exchange.arrival.url.endsWith('j1') ? 'j1' : 'j2'].shift()?.(exchange),
    ]);
    expect(both.code, both.err).toBe(0);
  });

  test('until its own limit: 9, and the message says why', async () => {
    const ran = await run('pods wait pod1 --for RUNNING --wait-timeout 10m', [pod('CREATED'), away]);
    expect([ran.code, ran.err]).toEqual([
      9,
      expect.stringMatching(/^error: pod pod1 not RUNNING after 10m: no answer .*answered 503/m),
    ]);
  });

  test('not where the first read of the command fails', async () => {
    for (const line of [
      'pods wait pod1 --for RUNNING',
      'pods wait pod1 pod2',
      'jobs wait ep j1',
      'jobs wait ep j1 j2 --any',
    ])
      expect((await run(line, [away])).code, line).toBe(7);
  });

  test('not for what trying again cannot mend', async () => {
    expect((await run('pods wait pod1 --for RUNNING', [text('', 403)])).code).toBe(3);
  });
});
