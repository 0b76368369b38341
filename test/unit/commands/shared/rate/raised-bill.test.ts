import { describe, expect, test } from 'vitest';
import { answerQuestion } from '../../../../support/worlds/answer-question.ts';
import { createAccount, local } from '../../../../support/worlds/local-account.ts';
import { berth, berthIn } from '../../../../support/worlds/run-berth.ts';
import { json, pointedAt, routed, serve } from '../../../../support/servers/scripted-server.ts';
import { createTestWorld, KEYS, type TestWorld } from '../../../../support/worlds/test-world.ts';

const TERMINAL = { tty: true, columns: 400 };

/** Runs a command line on a terminal and answers its question. */
async function answered(argv: readonly string[], question: string, ...keys: readonly string[]) {
  const world: TestWorld = createTestWorld({ ...TERMINAL, env: { BERTH_LOCAL: '1' } });
  return { ...(await answerQuestion(world, argv, question, ...keys)), world };
}

describe('the price of a write is on stderr in a pipe too, and never on stdout', () => {
  test.each([
    [
      'volumes update checkpoints --size 1000',
      'Volume vol-checkpoints (checkpoints): 500 GB to 1000 GB, $35.00 a month to $70.00 a month.',
    ],
    [
      'endpoints update demo --workers-min 1',
      'Workers that always run, also without jobs: 0 ($0.00 an hour, $0.00 a month) to 1 ($',
    ],
    ['pods update pod-train --disk 900 --yes', 'It costs more: container disk 50 GB to 900 GB.'],
    [
      'volumes create --name data --size 50 --data-center EU-WEST-1',
      '50 GB in EU-WEST-1 costs $3.50 a month, used or not, until it is deleted.',
    ],
    ['pods start pod-stopped', 'It costs $0.86 an hour until it is stopped.'],
    ['pods create --name a --gpu GPU-24G --image i', '1 x GPU-24G on the SECURE cloud costs $0.69 an hour'],
  ])('%s', async (line, price) => {
    for (const flags of ['', ' --dry-run']) {
      const { code, out, err } = await createAccount()(`${line}${flags} --json`);
      expect([code, err]).toEqual([0, expect.stringContaining(price)]);
      expect([err.split(price.slice(0, 20)).length, out.includes('an hour'), out.includes('a month')]).toEqual([
        2,
        false,
        false,
      ]);
    }
    const quiet = await createAccount()(`${line} --quiet --json`);
    expect([quiet.code, quiet.err]).toEqual([0, expect.not.stringContaining('$') as string]);
  });

  test('with --quiet it is said to a person who is asked about it', async () => {
    const argv = ['volumes', 'update', 'checkpoints', '--size', '1000', '--quiet'];
    expect((await answered(argv, 'Change it?', 'n')).err).toContain('$70.00 a month');
  });

  test('where it cannot be found out the write is done all the same', async () => {
    const server = await serve([
      routed({
        'GET /v2/serverless/e': json({ id: 'e', name: 'e', type: 'QUEUE', workers: { min: 0, max: 3 } }),
        'PATCH /v2/serverless/e': json({ id: 'e', name: 'e' }),
      }),
    ]);
    const ran = await berth(['endpoints', 'update', 'e', '--workers-min', '1', '--json'], {
      env: pointedAt(server.url),
    });
    expect([ran.code, JSON.parse(ran.out)]).toEqual([0, { id: 'e', name: 'e' }]);
  });

  test('of pods to start by a selector is in the question', async () => {
    const { err } = await answered(['pods', 'start', '--status', 'EXITED'], 'Continue?', 'n');
    expect(err).toMatch(/This will start 2 pods\. They cost \$0\.\d\d an hour until they are stopped\./);
  });
});

describe('what raises the bill', () => {
  test('a volume that grows has its price of a month before and after, cannot be undone, and is asked about', async () => {
    const { code, err, world } = await answered(
      ['volumes', 'update', 'checkpoints', '--size', '1000'],
      'Change it?',
      'n',
    );
    expect(err).toContain(
      'Volume vol-checkpoints (checkpoints): 500 GB to 1000 GB, $35.00 a month to $70.00 a month. This cannot be undone: a volume never shrinks.',
    );
    expect([code, err]).toEqual([2, expect.stringContaining('nothing was changed')]);
    expect((await berthIn(world, ['volumes', 'get', 'checkpoints', '--json'])).out).toContain('"size": 500');
  });

  test.each([
    ['--size 1000 --yes', TERMINAL],
    ['--size 1000', {}],
    ['--name other', TERMINAL],
  ])('is not asked about with --yes, without a terminal, and where the bill stays: %s', async (flags, options) => {
    const { code } = await createAccount()(`volumes update checkpoints ${flags}`, options);
    expect(code).toBe(0);
  });

  test('workers that always run are priced by the hour and month when an endpoint is created', async () => {
    const create = 'endpoints create --name api --gpu-pool POOL-80G --image a/b --workers-min';
    const { code, err } = await answered(
      `${create} 2`.split(' '),
      'Create it for $8.36 an hour, $6102.80 a month?',
      'y',
    );
    expect(code).toBe(0);
    expect(err).toContain('2 workers always run: $8.36 an hour, $6102.80 a month, also without jobs.');
    expect((await createAccount()(`${create} 0`, TERMINAL)).err).not.toContain('Create it');
    expect((await createAccount()(`${create} 2 --yes`, TERMINAL)).code).toBe(0);
  });

  test('a cluster is asked about on a terminal; Enter alone, and --dry-run, create nothing; scripts are not asked', async () => {
    const create =
      'clusters create --name many --type TRAINING --gpu GPU-80G --gpu-count 8 --pods 4 --image example/pytorch:2.8';
    const { code, err, world } = await answered(create.split(' '), 'Create it for $76.48 an hour? (y/N)');
    expect([code, err]).toEqual([2, expect.stringContaining('not confirmed: nothing was created')]);
    expect(err).toMatch(/8 GPUs on each of 4 pods: \$\d+\.\d\d an hour/);
    expect((await berthIn(world, ['clusters', 'list', '--json'])).out).not.toContain('"many"');
    for (const [flags, options] of [
      [' --dry-run', TERMINAL],
      [' --yes', TERMINAL],
      ['', {}],
    ] as const) {
      const ran = await createAccount()(`${create}${flags}`, options);
      expect([ran.code, ran.err]).toEqual([0, expect.not.stringContaining('Create it') as string]);
    }
  });

  test.each([
    ['pods create --name big --gpu GPU-80G --gpu-count 4 --image a/b', 'Create it for $9.56 an hour? (y/N)'],
    [
      'pods create --name big --gpu GPU-80G --gpu-count 4 --image a/b --max-price 12',
      'Create it for at most $9.56 an hour? (y/N)',
    ],
    ['volumes create --name big --size 4000 --data-center EU-WEST-1', 'Create it for $220.48 a month? (y/N)'],
  ])(
    'a create that costs much is asked about on a terminal, and Enter alone creates nothing: %s',
    async (line, question) => {
      const { code, err, world } = await answered(line.split(' '), question);
      expect([code, err]).toEqual([2, expect.stringContaining('not confirmed: nothing was created')]);
      for (const noun of ['pods', 'volumes'])
        expect((await berthIn(world, [noun, 'list', '--json'])).out).not.toContain('"big"');
      for (const [flags, options] of [
        [' --yes', TERMINAL],
        ['', {}],
      ] as const)
        expect((await createAccount()(`${line}${flags}`, options)).err).not.toContain('Create it');
    },
  );

  test('a small pod and a small volume are not asked about', async () => {
    for (const line of [
      'pods create --name small --gpu GPU-24G --image a/b',
      'volumes create --name small --size 100 --data-center EU-WEST-1',
    ])
      expect((await createAccount()(line, TERMINAL)).code).toBe(0);
  });

  test('what costs less says so before and after, and is not asked about', async () => {
    const account = createAccount();
    await account('endpoints create --name api --gpu-pool POOL-80G --image a/b --workers-min 2');
    const fewer = await account('endpoints update api --workers-min 1', TERMINAL);
    expect([fewer.code, fewer.err]).toEqual([
      0,
      expect.stringMatching(/2 \(\$8\.36 an hour.*\) to 1 \(\$4\.18 an hour/),
    ]);
    const cheaper = await account('endpoints update api --gpu-pool POOL-24G', TERMINAL);
    expect([cheaper.code, cheaper.err]).toEqual([
      0,
      expect.stringMatching(/1 \(\$4\.18 an hour.*one that starts later costs \$1\.\d\d/),
    ]);
    const none = await account('endpoints update api --workers-min 0', TERMINAL);
    expect([none.code, none.err]).toEqual([0, expect.stringContaining('to 0 ($0.00 an hour')]);
  });

  test.each([
    'pods create --name a --gpu GPU-24G --image a/b --data-center NOWHERE',
    'pods create --name a --gpu GPU-24G --gpu-count 20 --image a/b',
    'clusters create --name a --type RAY --gpu GPU-80G --gpu-count 20 --pods 2 --image a/b',
    'clusters create --name a --type RAY --gpu GPU-80G --gpu-count 8 --pods 2 --image a/b --data-center NOWHERE',
    'volumes create --name a --size 50 --data-center NOWHERE',
  ])('no price is said of what there cannot be: %s', async (line) => {
    const { code, err } = await createAccount()(line);
    expect(code).not.toBe(0);
    expect(err).not.toContain('$');
  });

  test('and when their number is raised; not when it is lowered', async () => {
    const { code, err } = await answered(['endpoints', 'update', 'echo', '--workers-min', '2'], 'Change it?', 'n');
    expect(code).toBe(2);
    expect(err).toMatch(
      /Workers that always run, also without jobs: 0 \(\$0\.00 an hour, \$0\.00 a month\) to 2 \(\$\d+\.\d\d( to \$\d+\.\d\d)? an hour, \$\d+\.\d\d( to \$\d+\.\d\d)? a month\)\./,
    );
    const account = createAccount();
    await local(account, 'endpoints update echo --workers-min 2');
    expect((await account('endpoints update echo --workers-min 1', TERMINAL)).code).toBe(0);
  });

  test('hardware that costs more for workers that always run is asked about', async () => {
    const world: TestWorld = createTestWorld({ ...TERMINAL, env: { BERTH_LOCAL: '1' } });
    const create = 'endpoints create --name api --gpu-pool POOL-24G --image a/b --workers-min 1';
    expect((await berthIn(world, create.split(' '))).code).toBe(0);
    const running = berthIn(world, ['endpoints', 'update', 'api', '--gpu-pool', 'POOL-80G']);
    while (!world.err().includes('Change it?')) await new Promise(setImmediate);
    await world.type('n', KEYS.enter);
    const { code, err } = await running;
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(
        /1 \(\$1\.\d\d an hour.*one that starts later costs \$4\.18 an hour[^]*nothing was changed/,
      ),
    ]);
    const { out } = await berthIn(world, ['endpoints', 'get', 'api', '--json']);
    expect(out).toContain('POOL-24G');
  });

  test('a larger disk of a pod is asked about, and has no published price', async () => {
    const { code, err } = await answered(['pods', 'update', 'pod-train', '--disk', '900'], 'Change it?', 'n');
    expect(code).toBe(2);
    expect(err).toMatch(/It costs more: container disk \d+ GB to 900 GB\. The service publishes no price for it\./);
  });

  test('a larger disk of the workers of an endpoint is asked about', async () => {
    const { code, err } = await answered(['endpoints', 'update', 'echo', '--disk', '500'], 'Change it?', 'n');
    expect(code).toBe(2);
    expect(err).toContain('It costs more: container disk of each worker 20 GB to 500 GB.');
  });

  test('so is a template with a larger disk; one with the same disk is not', async () => {
    const account = createAccount();
    await local(account, 'templates create --name big --image a/b --disk 400');
    await local(account, 'templates create --name same --image a/b --disk 20');
    const update = 'pods update pod-stopped --dry-run --json --template';
    expect((await account(`${update} big`)).err).toContain('It costs more: container disk 20 GB to 400 GB.');
    expect((await account(`${update} big --disk 20`)).err).not.toContain('It costs more');
    expect((await account(`${update} same`)).err).not.toContain('It costs more');
  });

  test('of workers that run only while there are jobs, other hardware and a higher maximum are', async () => {
    for (const [flags, said] of [
      [
        '--gpu-pool POOL-80G --gpu-count 4',
        'A worker while it runs: $1.12 an hour, 3 workers at most; after the change $16.72 an hour, 3 workers at most.',
      ],
      ['--workers-max 50', 'after the change $1.12 an hour, 50 workers at most.'],
      ['--idle-timeout 1h', 'A worker without jobs is paid until it stops: '],
    ] as const) {
      const run = createAccount();
      await local(run, 'endpoints create --name q0 --image a/b --gpu-pool POOL-24G');
      const { code, err } = await run(`endpoints update q0 ${flags} --json`);
      expect([code, err]).toEqual([0, expect.stringContaining(said)]);
      expect((await run('endpoints update q0 --workers-max 2 --json')).err).not.toContain('after the change');
    }
    const asked = await answered(['endpoints', 'update', 'echo', '--workers-max', '50'], 'Change it?', 'n');
    expect(asked.code).toBe(2);
  });
});
