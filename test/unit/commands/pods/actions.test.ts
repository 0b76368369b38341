import { describe, expect, it, test } from 'vitest';
import { answer, answerQuestion } from '../../../support/worlds/answer-question.ts';
import { createAccount } from '../../../support/worlds/local-account.ts';
import { berthIn, type Ran } from '../../../support/worlds/run-berth.ts';
import { createTestWorld, KEYS, type TestWorld } from '../../../support/worlds/test-world.ts';
import { hangUp, json, pointedAt, problem, routed, serve, text } from '../../../support/servers/scripted-server.ts';

const local = (world: TestWorld, ...argv: readonly string[]): Promise<Ran> =>
  berthIn(world, ['--local', 'pods', ...argv]);
const statuses = ({ out }: Ran): readonly string[] => out.match(/[A-Z]{5,}/g) ?? [];

describe('start, stop and restart', () => {
  test.each([
    ['start', 'pod-stopped', 'PROVISIONING', 'RUNNING'],
    ['stop', 'pod-train', 'EXITED', 'EXITED'],
    ['restart', 'pod-train', 'STARTING', 'RUNNING'],
  ])('%s %s: %s at once, %s with --wait', async (verb, pod, at, end) => {
    const format = ['-o', 'json', '--fields', 'status'];
    const world = createTestWorld();
    const soon = await local(world, verb, pod, ...format);
    expect([soon.code, statuses(soon)]).toEqual([0, [at]]);
    const waited = await local(createTestWorld(), verb, pod, '--wait', ...format);
    expect([waited.code, statuses(waited)]).toEqual([0, [end]]);
  });

  it('start --wait says that a pod came back without its GPU, which is paid for', async () => {
    const world = createTestWorld();
    await berthIn(world, ['--local', 'local', 'fault', 'add', 'start-without-gpu', '--count', '1']);
    const ran = await local(world, 'start', 'pod-stopped', '--wait');
    expect(ran.err).toMatch(
      /pod old-experiment \(pod-stopped\) has no GPU\.\nRun berth --local pods stop pod-stopped\n/,
    );
  });

  it.each([
    ['stop', 'pod-stopped-cpu', 'EXITED'],
    ['start', 'train-llm', 'RUNNING'],
  ])('%s of a pod that has the status already is done, by its name as by a selector', async (verb, pod, status) => {
    const one = await local(createTestWorld(), verb, pod, '--json');
    expect([one.code, JSON.parse(one.out)]).toMatchObject([0, { status }]);
    const both = await local(createTestWorld(), verb, pod, 'pod-broken', '--json');
    expect(JSON.parse(both.out)).toMatchObject([{ ok: true, status }, { id: 'pod-broken' }]);
    const name = verb === 'stop' ? 'nightly-*' : 'train-*';
    const picked = await local(createTestWorld(), verb, '--match', name, '--yes', '--json');
    expect([picked.code, picked.out]).toEqual([0, '[]\n']);
  });

  it('a pod in another status is still refused', async () => {
    const ran = await local(createTestWorld(), 'restart', 'old-experiment');
    expect([ran.code, ran.err]).toEqual([5, expect.stringContaining('409')]);
  });

  it('says what became of each, and ends with the worst exit code', async () => {
    const ran = await local(createTestWorld(), 'stop', 'pod-train', 'nope', 'pod-web', '--json');
    expect([ran.code, JSON.parse(ran.out)]).toMatchObject([
      5,
      [
        { id: 'pod-train', name: 'train-llm', ok: true, status: 'EXITED' },
        { id: 'nope', ok: false, error: { code: 'not-found' } },
        { id: 'pod-web', ok: false, error: { code: 'refused', status: 409 } },
      ],
    ]);
    expect(JSON.parse(ran.err)).toMatchObject({
      error: {
        code: 'refused',
        message: '2 of 3 did not go through',
        errors: [expect.stringMatching(/^nope: no pod/), expect.stringMatching(/^pod-web: .*locked/)] as string[],
      },
    });
  });

  it('say one line, and the price of a start; a locked pod names what unlocks it', async () => {
    const account = createAccount();
    expect(await account('pods stop pod-train')).toMatchObject({ code: 0, out: '', err: 'stopped pod train-llm\n' });
    expect((await account('pods start pod-train')).err).toMatch(/^started pod train-llm \(\$\d+\.\d\d\/h\)\n$/);
    expect((await account('pods stop pod-web')).err).toContain('pods update pod-web --locked off');
  });

  it('are asked about where a selector chose the pods', async () => {
    expect((await createAccount()("pods stop --match 'train-*'")).code).toBe(2);
    const world = createTestWorld({ env: { BERTH_LOCAL: '1' }, tty: true, columns: 200 });
    const ran = await answerQuestion(world, ['pods', 'stop', '--match', 'train-*'], 'Continue', 'y');
    expect(ran.code, ran.err).toBe(0);
    expect(ran.err).toMatch(/1 pod will be stopped: \$\d+\.\d\d\/h\./);
    const again = await answerQuestion(world, ['pods', 'start', '--match', 'train-*'], 'Continue', 'y');
    expect(again.err).toMatch(/1 pod will be started: \$\d+\.\d\d\/h/);
  });

  it('send nothing in a dry run, and print one request for each pod', async () => {
    const pods = { 'GET /v2/pods/p1': json({ id: 'p1' }), 'GET /v2/pods/p2': json({ id: 'p2' }) };
    const server = await serve([routed(pods, text('', 404))]);
    const world = createTestWorld({ env: pointedAt(server.url) });
    const ran = await berthIn(world, ['pods', 'stop', 'p1', 'p2', '--dry-run']);
    const request = { method: 'POST', body: { action: 'stop' } };
    expect([ran.code, JSON.parse(ran.out)]).toMatchObject([0, [request, request]]);
    expect(server.seen.every(({ method }) => method === 'GET')).toBe(true);
  });

  it('names what shows the present state after a refusal for it (409)', async () => {
    const server = await serve([problem(409, 'not now')]);
    const ran = await berthIn(createTestWorld({ env: pointedAt(server.url) }), ['pods', 'restart', 'p1']);
    expect([ran.code, ran.err]).toEqual([5, expect.stringContaining('berth pods get p1') as string]);
  });

  it('names the command that finds out the outcome after a lost answer', async () => {
    const server = await serve([hangUp]);
    const ran = await berthIn(createTestWorld({ env: pointedAt(server.url) }), ['pods', 'stop', 'p1']);
    expect(ran.code).toBe(8);
    expect(ran.err).toContain('berth pods get p1');
    expect(server.seen).toHaveLength(1);
  });
});

describe('terminate, or delete', () => {
  test.each(['terminate', 'delete'])(
    '%s: gone from the list, after a question that says what it hits',
    async (verb) => {
      const world = createTestWorld({ tty: true });
      const running = local(world, verb, 'pod-train', 'pod-notebook');
      await answer(world, 'Type 2 pods to continue:', '2 pods', KEYS.enter);
      expect((await running).code).toBe(0);
      expect(world.err()).toMatch(/pod train-llm \(pod-train\), \S+ \(pod-notebook\)\s+will\s+be\s+terminated/);
      expect(world.err()).toMatch(/network\s+volumes\s+are\s+kept/);
      const { out } = await local(world, 'list', '-o', 'id');
      expect(out).not.toMatch(/pod-train|pod-notebook/);
    },
  );

  it('a locked pod needs --force', async () => {
    const account = createAccount();
    expect((await account('pods terminate pod-web --yes')).code).toBe(5);
    expect((await account('pods terminate pod-web --yes --force')).code).toBe(0);
  });

  it('sends nothing without a terminal and --yes', async () => {
    const server = await serve([text('', 500)]);
    const ran = await berthIn(createTestWorld({ env: pointedAt(server.url) }), ['pods', 'terminate', 'p1']);
    expect([ran.code, server.seen]).toEqual([2, []]);
  });
});

describe('pods wait', () => {
  const pod = (status: string) => json({ id: 'p1', status });
  const gone = problem(404, 'pod not found');
  const wait = async (script: Parameters<typeof serve>[0], ...flags: readonly string[]): Promise<Ran> => {
    const server = await serve(script);
    return await berthIn(createTestWorld({ env: pointedAt(server.url) }), ['pods', 'wait', 'p1', ...flags]);
  };
  const fields = ['-o', 'json', '--fields', 'status'];

  test.each<[string, Parameters<typeof serve>[0], readonly string[], number, readonly string[]]>([
    ['RUNNING by itself', [pod('PROVISIONING'), pod('STARTING'), pod('RUNNING')], [], 0, ['RUNNING']],
    ['another status', [pod('RUNNING'), pod('EXITED')], ['--for', 'exited'], 0, ['EXITED']],
    ['a pod that failed', [pod('STARTING'), pod('ERROR')], [], 10, ['ERROR']],
    ['a pod that failed, as it was meant to', [pod('ERROR')], ['--for', 'ERROR'], 0, ['ERROR']],
    ['a pod that was terminated', [pod('STARTING'), pod('TERMINATED')], [], 10, ['TERMINATED']],
    ['a pod that is gone', [pod('RUNNING'), gone], ['--for', 'TERMINATED'], 0, ['TERMINATED']],
    ['a pod that is gone before it ran', [pod('STARTING'), gone], [], 10, ['TERMINATED']],
    ['an unknown status on the way', [pod('PAUSED'), pod('RUNNING')], [], 0, ['RUNNING']],
    ['a service that is down on the way', [pod('STARTING'), problem(503, 'down'), pod('RUNNING')], [], 0, ['RUNNING']],
  ])('%s', async (_, script, flags, code, shown) => {
    const ran = await wait(script, ...flags, ...fields);
    expect([ran.code, statuses(ran)]).toEqual([code, shown]);
  });

  it('names the command that says why a pod is in ERROR', async () => {
    expect((await wait([pod('ERROR')])).err).toContain('Run berth pods explain p1,');
    expect((await wait([pod('STARTING'), gone])).err).not.toContain('explain');
  });

  it('ends 4 for a pod that does not exist', async () => {
    expect((await wait([gone])).code).toBe(4);
  });

  it('ends 9 at its timeout and names the command that waits further', async () => {
    const ran = await wait([pod('STARTING')], '--wait-timeout', '30s');
    expect(ran.code).toBe(9);
    expect(ran.err).toContain('Run berth pods wait p1 --for reachable');
  });

  it('ends 9 at once for a stopped pod and names the command that starts it', async () => {
    const ran = await wait([pod('EXITED')]);
    expect([ran.code, ran.err]).toEqual([
      9,
      expect.stringMatching(/is stopped\n.*berth pods start p1 --wait/) as string,
    ]);
    expect((await wait([pod('RUNNING'), pod('EXITED')], '--for', 'EXITED')).code).toBe(0);
  });

  it('looks up a name once', async () => {
    const server = await serve([
      routed({ 'GET /v2/pods': json({ pods: [{ id: 'p1', name: 'lab' }] }), 'GET /v2/pods/p1': pod('STARTING') }),
    ]);
    const world = createTestWorld({ env: pointedAt(server.url) });
    const ran = await berthIn(world, ['pods', 'wait', 'lab', '--wait-timeout', '10s']);
    expect(ran.code).toBe(9);
    expect(server.seen.filter(({ url }) => url.startsWith('/v2/pods?'))).toHaveLength(1);
  });

  it('ends 130 after Ctrl-C and does not change the pod', async () => {
    const server = await serve([pod('STARTING')]);
    const world = createTestWorld({ env: pointedAt(server.url) });
    const running = berthIn(world, ['pods', 'wait', 'p1']);
    while (server.seen.length < 2) await new Promise(setImmediate);
    world.signal('SIGINT');
    const ran = await running;
    expect(ran.code).toBe(130);
    expect(ran.err).toContain('Go on with: berth pods wait p1 --for reachable');
    expect(server.seen.every(({ method }) => method === 'GET')).toBe(true);
  });
});
