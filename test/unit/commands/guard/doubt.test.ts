import { describe, expect, it } from 'vitest';
import { POD_BODY } from '../../../support/local/service-fixture.ts';
import { remoteService, type Fault, type RemoteService } from '../../../support/servers/remote-service.ts';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld, type TestWorld } from '../../../support/worlds/test-world.ts';

const HOUR = 3_600_000;

/** A service with a pod whose deadline is over, and a machine with a guard; their clocks agree. */
async function overdue(fault: (method: string, url: string) => Fault | undefined) {
  let isReady = false;
  const remote = await remoteService(({ method, url }) => (isReady ? fault(method, url) : undefined));
  const { body } = await remote.send('POST', '/v2/pods', { ...POD_BODY, env: { BERTH_STOP_AFTER: '1h' } });
  const world = createTestWorld({ env: remote.env });
  const pass = (milliseconds: number): void => {
    remote.clock.advance(milliseconds);
    world.clock.advance(milliseconds);
  };
  pass(60_000);
  await remote.send('GET', '/v2/pods');
  isReady = true;
  return { remote, world, pass, id: String(body['id']) };
}

interface Row {
  readonly name: string;
  readonly action: string;
  readonly result?: string;
  readonly held?: string;
  readonly error?: { readonly code: string };
}

async function guard(world: TestWorld, ...flags: readonly string[]) {
  const ran = await berthIn(world, ['guard', 'run', '--match', 'p', '--max-age', '52w', '--json', ...flags]);
  return { code: ran.code, rows: ran.out === '' ? [] : (JSON.parse(ran.out) as readonly Row[]), err: ran.err };
}

const statusOf = async ({ send }: RemoteService, id: string): Promise<unknown> =>
  (await send('GET', `/v2/pods/${id}`)).body['status'];

/** The writes that the guard sent. */
const writes = ({ server }: RemoteService): readonly string[] =>
  server.seen.filter(({ method }) => method !== 'GET').map(({ method, url }) => `${method} ${url}`);

describe('a guard does nothing on doubt', () => {
  type Between = (remote: RemoteService, path: string) => Promise<unknown>;
  const lock: Between = ({ send }, path) => send('PATCH', path, { locked: true });
  const startAgain: Between = async ({ send, clock }, path) => {
    for (const action of ['stop', 'start']) await send('POST', `${path}/action`, { action });
    clock.advance(60_000);
  };

  it.each<[string, Fault | Between, number, readonly object[]]>([
    ['a list that fails', { refuse: 500 }, 7, []],
    ['a list that is refused', { refuse: 403 }, 3, []],
    ['a pod that somebody else started again in between', startAgain, 15, [{ name: 'p', result: 'changed' }]],
    ['a pod that was locked in between', lock, 15, [{ name: 'p', result: 'changed' }]],
  ])('%s', async (_, doubt, code, rows) => {
    const { remote, world, pass, id } = await overdue((method, url) => {
      if (method !== 'GET') return undefined;
      if (typeof doubt !== 'function') return doubt;
      const path = `/v2/pods/${id}`;
      return url.startsWith(path) ? { first: () => doubt(remote, path) } : undefined;
    });
    pass(2 * HOUR);
    const ran = await guard(world);
    expect([ran.code, ran.rows, writes(remote)]).toMatchObject([code, rows, []]);
    expect(await statusOf(remote, id)).toBe('RUNNING');
  });
});

describe('what happens to an action', () => {
  const unknown = { result: 'failed', error: { code: 'outcome-unknown' } };
  it.each([
    ['an answer 200 that does not say that the pod is stopped', { answer: '{}' }, 8, unknown, 'RUNNING'],
    ['an answer that was lost', 'lose', 15, { result: 'stopped' }, 'EXITED'],
    ['a refusal by balance', { refuse: 402 }, 5, { result: 'failed', error: { status: 402 } }, 'RUNNING'],
    ['a refusal by state', { refuse: 409 }, 5, { result: 'failed', error: { status: 409 } }, 'RUNNING'],
    ['a pod that is gone', { refuse: 404 }, 15, { result: 'ended before' }, 'RUNNING'],
  ] as const)('%s', async (_, fault, code, row, status) => {
    const { remote, world, pass, id } = await overdue((method) => (method === 'POST' ? fault : undefined));
    pass(2 * HOUR);
    const ran = await guard(world);
    expect([ran.code, ran.rows, await statusOf(remote, id)]).toMatchObject([code, [row], status]);
    expect(writes(remote)).toHaveLength(1);
  });

  it('of one pod does not hold up the others', async () => {
    let posts = 0;
    const { remote, world, pass } = await overdue((method) =>
      method === 'POST' && (posts += 1) === 1 ? { refuse: 402 } : undefined,
    );
    await remote.send('POST', '/v2/pods', { ...POD_BODY, name: 'p2', env: { BERTH_STOP_AFTER: '1h' } });
    pass(60_000);
    await remote.send('GET', '/v2/pods');
    pass(2 * HOUR);
    const ran = await guard(world);
    expect([ran.code, ran.rows.map(({ result }) => result)]).toEqual([5, ['failed', 'stopped']]);
  });

  it('that is refused in each sweep is said once', async () => {
    const { remote, world, pass } = await overdue((method) => (method === 'POST' ? { refuse: 402 } : undefined));
    pass(2 * HOUR);
    const running = berthIn(world, ['guard', 'run', '--every', '10s', '-o', 'jsonl']);
    while (writes(remote).length < 3) await new Promise(setImmediate);
    world.signal('SIGINT');
    const { code, out } = await running;
    expect([code, out.trim().split('\n').length]).toEqual([130, 1]);
  });

  it('before an interrupt is printed', async () => {
    const { remote, world, pass } = await overdue((method) => {
      if (method !== 'POST') return undefined;
      world.signal('SIGINT');
      return 'lose';
    });
    await remote.send('POST', '/v2/pods', { ...POD_BODY, name: 'p2', env: { BERTH_STOP_AFTER: '1h' } });
    pass(60_000);
    await remote.send('GET', '/v2/pods');
    pass(2 * HOUR);
    const ran = await guard(world);
    expect([ran.code, ran.rows.map(({ result }) => result)]).toEqual([130, ['failed', undefined]]);
  });

  const runtime = { gpus: [{ util: 90, memoryUtil: 90 }], cpu: { util: 90 }, memory: { util: 50 } };
  it.each([
    ['is used', runtime],
    ['has no numbers', null],
  ])('of a pod that %s since it was looked at is not sent', async (_, after) => {
    let reads = 0;
    const wait = async () => {
      remote.clock.advance(60_000);
      await Promise.resolve();
    };
    const { remote, world, id } = await overdue((method, url) => {
      if (method !== 'GET') return undefined;
      // A minute passes between two looks.
      if (!url.startsWith(`/v2/pods/${id}`)) return { first: wait };
      reads += 1;
      return { answer: JSON.stringify({ ...body, runtime: after }) };
    });
    await remote.send('POST', `/local/pods/${id}/use`, { gpu: 0, cpu: 1 });
    const { body } = await remote.send('GET', `/v2/pods/${id}`);
    const flags = ['--idle', '30m', '--match', 'p', '--every', '1m'];
    const running = berthIn(world, ['guard', 'run', ...flags, '-o', 'jsonl']);
    while (reads === 0) await new Promise(setImmediate);
    const looks = world.clock.slept.length;
    while (world.clock.slept.length === looks) await new Promise(setImmediate);
    world.signal('SIGINT');
    const printed = (await running).out.trim().split('\n');
    expect(JSON.parse(printed.at(-1) ?? '')).toMatchObject({ rule: 'idle', result: 'changed' });
    expect(writes(remote)).toEqual([]);
  });
});
