import { describe, expect, it, test } from 'vitest';
import { answer, answerQuestion } from '../../../support/worlds/answer-question.ts';
import { createAccount } from '../../../support/worlds/local-account.ts';
import { berthIn, type Ran } from '../../../support/worlds/run-berth.ts';
import { createTestWorld, KEYS, type TestWorld } from '../../../support/worlds/test-world.ts';
import { hangUp, json, pointedAt, problem, serve } from '../../../support/servers/scripted-server.ts';

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
    expect(picked.err).toMatch(new RegExp(`^skipped \\S+ \\(\\S+\\): ${status}\nnothing \\w+\n$`));
    const waited = await local(createTestWorld(), verb, '--match', name, '--yes', '--wait');
    expect([waited.code, waited.err]).toEqual([0, picked.err]);
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

  test.each([
    ['restart', problem(409, 'not now'), 5],
    ['stop', hangUp, 8],
  ])('%s names what shows the state after a refusal for it, and after a lost answer', async (verb, answers, code) => {
    const server = await serve([answers]);
    const ran = await berthIn(createTestWorld({ env: pointedAt(server.url) }), ['pods', verb, 'p1']);
    expect([ran.code, ran.err]).toEqual([code, expect.stringContaining('berth pods get p1')]);
    expect(server.seen.filter(({ method }) => method === 'POST')).toHaveLength(1);
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

  test.each<[string, Parameters<typeof serve>[0], number, RegExp]>([
    ['a pod in ERROR', [pod('ERROR')], 10, /Run berth pods explain p1,/],
    ['a pod that does not exist', [gone], 4, /pod not found/],
    ['a wait that ends', [pod('STARTING')], 9, /Run berth pods wait p1 --for reachable/],
    ['a stopped pod', [pod('EXITED')], 9, /is stopped\n.*berth pods start p1 --wait/],
  ])('%s says what to do', async (_, script, code, says) => {
    const ran = await wait(script, '--wait-timeout', '30s');
    expect([ran.code, ran.err]).toEqual([code, expect.stringMatching(says)]);
  });
});
