import { describe, expect, it } from 'vitest';
import { answerQuestion } from '../../../support/worlds/answer-question.ts';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld, type TestWorld } from '../../../support/worlds/test-world.ts';

const run = (world: TestWorld, line: string) => berthIn(world, line.split(' '));

/** The status of a pod. */
const statusOf = async (world: TestWorld, pod: string): Promise<string> =>
  (await run(world, `pods get ${pod} --fields status -o csv --no-input`)).out.split('\n')[1] ?? '';

/** A world with a stopped pod `big` of $9.56 an hour beside the stopped ones of a new account, which cost less than $5. */
async function withStoppedPods(options: { readonly tty: boolean }): Promise<TestWorld> {
  const world = createTestWorld({ ...options, columns: 400, env: { BERTH_LOCAL: '1' } });
  await run(world, 'pods create --name big --gpu GPU-80G --gpu-count 4 --image a/b:1 --port 22/tcp --wait --yes');
  await run(world, 'pods stop big --wait --yes');
  return world;
}

describe('a start of pods that cost $5 an hour or more', () => {
  it('is asked about on a terminal, and a no starts nothing', async () => {
    const world = await withStoppedPods({ tty: true });
    const ran = await answerQuestion(world, ['pods', 'start', 'big'], 'Start it for $9.56 an hour? (y/N)', 'n');
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining('not confirmed: nothing was started')]);
    expect(await statusOf(world, 'big')).toBe('EXITED');
    const both = ['pods', 'start', 'old-experiment', 'big', '--stop-after', '4h'];
    expect((await answerQuestion(world, both, 'Start them for $10.42 an hour? (y/N)', 'n')).code).toBe(2);
    expect((await run(world, 'pods get big --json --no-input')).out).not.toContain('BERTH_STOP_AFTER');
    expect((await answerQuestion(world, ['pods', 'start', 'big'], 'Start it for', 'y')).code).toBe(0);
  });

  it('is asked about with the disks that are paid too, as a create is', async () => {
    const world = createTestWorld({ tty: true, columns: 400, env: { BERTH_LOCAL: '1' } });
    const create = 'pods create --gpu GPU-80G --gpu-count 4 --image a/b:1 --wait --yes --name';
    await run(world, `${create} large --disk 200`);
    await run(world, `${create} mounted --disk 200 --persistent-size 10`);
    await run(world, 'pods stop large mounted --wait --yes');
    const ask = (pods: string, question: string) =>
      answerQuestion(world, ['pods', 'start', ...pods.split(' ')], question, 'n');
    const ran = await ask('large', 'Start it for $9.56 an hour and its container disk? (y/N)');
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining('Its container disk (200 GB) is paid too')]);
    const mounted = 'Start it for $9.56 an hour and its container disk and its persistent mount? (y/N)';
    expect((await ask('mounted', mounted)).code).toBe(2);
    expect((await ask('large mounted', 'Start them for $19.12 an hour and their disks? (y/N)')).code).toBe(2);
  });

  it('is asked about where a command starts it first', async () => {
    const world = await withStoppedPods({ tty: true });
    const line = ['pods', 'exec', 'big', '--start', '--', 'true'];
    const ran = await answerQuestion(world, line, 'Start it for $9.56 an hour? (y/N)', 'n');
    expect([ran.code, await statusOf(world, 'big')]).toEqual([2, 'EXITED']);
  });

  it.each([
    ['with --yes', { tty: true }, 'pods start big --yes'],
    ['in a dry run', { tty: true }, 'pods start big --dry-run'],
    ['without a terminal', { tty: false }, 'pods start big'],
    ['where the pods together cost less', { tty: true }, 'pods start old-experiment'],
  ])('is not asked about %s', async (_, options, line) => {
    const world = await withStoppedPods(options);
    const ran = await run(world, line);
    expect([ran.code, ran.err.includes('Start it')]).toEqual([0, false]);
  });

  it('is asked about where the catalog does not answer, because the price may be high', async () => {
    const world = await withStoppedPods({ tty: true });
    await berthIn(world, ['local', 'fault', 'add', 'server-error', '--match', 'GET /v2/catalog']);
    const ran = await answerQuestion(world, ['pods', 'start', 'big'], 'Start it at a price that is not known? (y/N)');
    expect(ran.code).toBe(2);
  });
});
