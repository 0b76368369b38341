import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { remoteService, type Fault, type RemoteService } from '../../../support/servers/remote-service.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld, type TestWorld } from '../../../support/worlds/test-world.ts';
import type { Row } from '../../../support/worlds/guard-account.ts';

const MINUTE = 60_000;

/** A service whose endpoint `demo` keeps a worker, and a machine with a guard; their clocks agree. */
async function keeping(fault: (method: string, url: string) => Fault | undefined = () => undefined) {
  let isReady = false;
  const remote = await remoteService(({ method, url }) => (isReady ? fault(method, url) : undefined));
  await remote.send('PATCH', '/v2/serverless/demo', { workers: { min: 1 } });
  const world = createTestWorld({ env: remote.env });
  remote.clock.advance(180 * MINUTE);
  world.clock.advance(180 * MINUTE);
  /** Sweeps every five minutes. */
  const check = async (minutes: number, flags = ''): Promise<readonly Row[]> => {
    let rows: readonly Row[] = [];
    for (let minute = 0; minute < minutes; minute += 5) {
      remote.clock.advance(5 * MINUTE);
      world.clock.advance(5 * MINUTE);
      rows = (await guard(world, `check${flags}`)).rows;
    }
    return rows;
  };
  isReady = true;
  return { remote, world, check };
}

async function guard(world: TestWorld, command: string) {
  const ran = await berthIn(world, ['guard', ...command.split(' '), '--without-jobs', '1h', '--json']);
  return { code: ran.code, rows: JSON.parse(ran.out) as readonly Row[] };
}

const leastWorkers = async ({ send }: RemoteService): Promise<unknown> =>
  ((await send('GET', '/v2/serverless/demo')).body['workers'] as { readonly min: number }).min;

const writes = ({ server }: RemoteService): readonly string[] =>
  server.seen.filter(({ method }) => method === 'PATCH').map(({ url, body }) => `${url} ${String(body)}`);

describe('an endpoint that keeps workers and had no job for an hour', () => {
  it('is scaled to zero by run, once samples cover the hour, and not looked at any more', async () => {
    const { remote, world, check } = await keeping();
    expect(await check(30)).toMatchObject([{ kind: 'endpoint', id: 'demo', verdict: 'unknown', action: 'report' }]);
    expect(await check(40)).toMatchObject([
      { id: 'demo', action: 'scale-to-zero', why: 'it keeps 1 worker, and had no job for 1h' },
    ]);
    expect(await leastWorkers(remote)).toBe(1);
    const ran = await guard(world, 'run');
    expect([ran.code, ran.rows]).toMatchObject([15, [{ id: 'demo', result: 'scaled to zero' }]]);
    expect([await leastWorkers(remote), (await guard(world, 'run')).rows]).toEqual([0, []]);
  });

  it('is only reported where that is all that is asked for', async () => {
    const { world, check, remote } = await keeping();
    await check(70);
    const ran = await guard(world, 'run --do report');
    expect([ran.code, ran.rows, await leastWorkers(remote)]).toMatchObject([15, [{ action: 'report' }], 1]);
  });

  it('is left alone when it had a job that no sweep saw', async () => {
    const { remote, check } = await keeping();
    await check(40);
    await remote.send('POST', '/v2/demo/runsync', { input: {} });
    expect(await check(30)).toEqual([]);
  });

  it('is unknown when its health could not be read at the end, and nothing is done', async () => {
    let isDown = false;
    const { remote, world, check } = await keeping((_, url) =>
      isDown && url.endsWith('/health') ? { refuse: 500 } : undefined,
    );
    await check(70);
    isDown = true;
    const ran = await guard(world, 'run');
    expect([ran.code, ran.rows, await leastWorkers(remote)]).toMatchObject([0, [{ verdict: 'unknown' }], 1]);
  });

  it.each([
    ['a job came', (remote: RemoteService) => remote.send('POST', '/v2/demo/run', { input: {} })],
    [
      'somebody gave it more workers',
      (remote: RemoteService) => remote.send('PATCH', '/v2/serverless/demo', { workers: { min: 2 } }),
    ],
  ])('is left alone when %s since it was looked at', async (_, change) => {
    let isActing = false;
    const { remote, world, check } = await keeping((method, url) =>
      isActing && method === 'GET' && url === '/v2/serverless/demo'
        ? { first: () => change(remote).then(() => undefined) }
        : undefined,
    );
    await check(70);
    isActing = true;
    const ran = await guard(world, 'run');
    expect(ran.rows).toMatchObject([{ id: 'demo', result: 'changed' }]);
    expect(writes(remote)).not.toContain('/v2/serverless/demo {"workers":{"min":0}}');
  });

  it.each([
    ['an answer that was lost', 'lose', 'scaled to zero', 0],
    ['a refusal', { refuse: 400 }, 'failed', 1],
  ] as const)('after %s is looked at again', async (_, fault, result, least) => {
    const { remote, world, check } = await keeping((method) => (method === 'PATCH' ? fault : undefined));
    await check(70);
    expect((await guard(world, 'run')).rows).toMatchObject([{ id: 'demo', result }]);
    expect(await leastWorkers(remote)).toBe(least);
  });

  it('does not hold up the deadlines of pods when the endpoints cannot be read', async () => {
    const { remote, world } = await keeping((_, url) =>
      url.startsWith('/v2/serverless') ? { refuse: 500 } : undefined,
    );
    await remote.send('POST', '/v2/pods', {
      ...{ name: 'lab', image: 'i', disk: 10, gpu: { id: 'GPU-24G', count: 1 } },
      env: { BERTH_STOP_AFTER: '1h' },
    });
    remote.clock.advance(MINUTE);
    await remote.send('GET', '/v2/pods');
    remote.clock.advance(120 * MINUTE);
    world.clock.advance(121 * MINUTE);
    const ran = await berthIn(world, ['guard', 'run', '--without-jobs', '1h', '--json']);
    expect([JSON.parse(ran.out), ran.err]).toMatchObject([
      [{ name: 'lab', result: 'stopped' }],
      expect.stringContaining('The endpoints could not be read'),
    ]);
  });
});

test('more endpoints than --max-actions are refused before anything is sent', async () => {
  const { remote, world, check } = await keeping();
  await remote.send('PATCH', '/v2/serverless/echo', { workers: { min: 1 } });
  await check(70);
  const flags = ['--without-jobs', '1h', '--max-actions', '1'];
  const ran = await berthIn(world, ['guard', 'run', ...flags]);
  expect([ran.code, ran.err]).toEqual([
    2,
    expect.stringContaining('2 endpoints would be changed at once, more than --max-actions 1: nothing was done'),
  ]);
  expect(await leastWorkers(remote)).toBe(1);
});

test('an endpoint under an exception is exempt, and a pattern selects endpoints by their names', async () => {
  const { world, check } = await keeping();
  await check(70);
  const file = path.join(temporaryDirectory(), 'guard.yaml');
  const policy = async (text: string): Promise<readonly Row[]> => {
    writeFileSync(file, text);
    return JSON.parse((await berthIn(world, ['guard', 'check', '--policy', file, '--json'])).out) as readonly Row[];
  };
  const rule = (name: string) => `rules: [{select: {match: ${name}}, when: {noJobs: 1h}, do: scale-to-zero}]`;
  expect(await policy(rule('dem*'))).toMatchObject([{ id: 'demo', verdict: 'over' }]);
  expect(await policy(rule('other'))).toEqual([]);
  expect(await policy(`${rule('demo')}\nexceptions: [{match: demo, until: 2099-01-01}]`)).toMatchObject([
    { id: 'demo', verdict: 'exempt', action: 'report' },
  ]);
});
