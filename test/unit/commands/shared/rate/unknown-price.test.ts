import { describe, expect, test } from 'vitest';
import { answerQuestion } from '../../../../support/worlds/answer-question.ts';
import { createAccount } from '../../../../support/worlds/local-account.ts';
import { berthIn } from '../../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../../support/worlds/test-world.ts';

const POD = 'pods create --name big --gpu GPU-80G --gpu-count 8 --image a/b';
const CLUSTER = 'clusters create --name c --type TRAINING --gpu GPU-80G --gpu-count 8 --pods 2 --image a/b';
const ENDPOINT = 'endpoints create --name e --image a/b --gpu-pool POOL-80G --workers-min 3';
const UPDATE = 'endpoints update echo --workers-min 3';

const NO_CATALOG = ['local', 'fault', 'add', 'server-error', '--match', 'GET /v2/catalog'];
const TERMINAL = { tty: true, columns: 400 };

describe('a price that cannot be found out is said, and asked about', () => {
  test.each([
    [POD, 'What it costs is not known: ', 'Create it at a price that is not known? (y/N)'],
    [CLUSTER, 'What it costs is not known: ', 'Create it at a price that is not known? (y/N)'],
    [
      ENDPOINT,
      'The catalog does not tell what a worker costs while it runs; 3 workers at most. 3 workers always run',
      'Create it at a price that is not known? (y/N)',
    ],
    [UPDATE, 'to 3 (a price that the catalog does not tell).', 'Change it?'],
  ])('%s', async (line, said, question) => {
    const world = createTestWorld({ ...TERMINAL, env: { BERTH_LOCAL: '1' } });
    expect((await berthIn(world, NO_CATALOG)).code).toBe(0);
    const { code, err } = await answerQuestion(world, line.split(' '), question, 'n');
    expect([code, err]).toEqual([2, expect.stringContaining(said)]);
  });

  test.each([POD, CLUSTER, ENDPOINT, UPDATE])('a script is told, and not asked: %s', async (line) => {
    const run = createAccount();
    expect((await run("local fault add server-error --match 'GET /v2/catalog'")).code).toBe(0);
    const { code, err } = await run(`${line} --json`);
    expect([code, err]).toEqual([0, expect.stringMatching(/not known|does not tell/)]);
  });

  test.each([
    'pods create --name a --gpu GPU-NONE --image a/b',
    'clusters create --name c --type TRAINING --gpu GPU-NONE --gpu-count 8 --pods 2 --image a/b',
    'endpoints update none --workers-min 3',
    'pods create --name a --gpu GPU-24G --gpu GPU-48G --image a/b --until-available 5s',
  ])('nothing is said of the price of what the service refuses: %s', async (line) => {
    const { code, err } = await createAccount()(line, TERMINAL);
    expect(code).not.toBe(0);
    expect(err).not.toMatch(/costs|not known|does not tell/);
  });
});

describe('the persistent mount of a new pod', () => {
  const TEMPLATE =
    'templates create --name training --image a/b --set mounts.persistent.size=100 --set mounts.persistent.path=/w';

  test('is said where it comes from a template', async () => {
    const run = createAccount();
    expect((await run(TEMPLATE)).code).toBe(0);
    const pod = await run('pods create --name t --template training --gpu GPU-24G --dry-run');
    expect(pod.err).toContain('Its persistent mount (100 GB) costs money also while stopped');
    const candidates = await run(
      'pods create --name t --template training --gpu GPU-24G --gpu GPU-48G --stop-after 8h',
    );
    expect(candidates.err).toContain('Its persistent mount (100 GB) costs money also while stopped');
    expect(candidates.err).toContain('terminating it would delete its persistent mount');
    const cluster = await run(
      'clusters create --name c --type TRAINING --gpu GPU-80G --gpu-count 8 --pods 2 --template training',
    );
    expect(cluster.err).toContain(
      'The persistent mount of each pod (100 GB) is paid too, at a price that is not published.',
    );
  });

  test.each([
    ['714', false],
    ['715', true],
  ])('of %s GB is asked about: %s', async (size, asked) => {
    const line = `pods create --name t --gpu GPU-24G --image a/b --persistent-size ${size} --mount-path /w`;
    const world = createTestWorld({ ...TERMINAL, env: { BERTH_LOCAL: '1' } });
    const { code } = asked
      ? await answerQuestion(world, line.split(' '), 'Create it for $0.69 an hour and its persistent mount? (y/N)')
      : await berthIn(world, line.split(' '));
    expect([code, world.err().includes('Create it')]).toEqual([asked ? 2 : 0, asked]);
  });
});
