import { describe, expect, test } from 'vitest';
import { createAccount, type Account } from '../../../../support/worlds/local-account.ts';
import { json, pointedAt, problem, routed, serve } from '../../../../support/servers/scripted-server.ts';
import { berth } from '../../../../support/worlds/run-berth.ts';

const TERMINAL = { tty: true, columns: 400 };

/** An account of the local service with 2 workers, a cluster of 2 pods, a pod in ERROR and other pods. */
async function account(): Promise<Account> {
  const run = createAccount();
  await run('endpoints create --name busy --gpu-pool POOL-80G --image a/b --workers-min 2');
  await run('clusters create --name train --type TRAINING --gpu GPU-80G --gpu-count 8 --pods 2 --image a/b');
  await run('local clock advance 1h');
  return run;
}

/** `pods $8.27, clusters $38.24, workers $8.36, volumes $0.22`. */
const PARTS = /\(pods \$\d+\.\d\d, clusters \$\d\d\.\d\d, workers \$8\.36, volumes \$0\.\d\d; /;

describe('what an account costs an hour', () => {
  test.each(['pods', 'endpoints', 'clusters'])(
    'is below the list of %s on a terminal, with its parts',
    async (noun) => {
      const run = await account();
      const { err } = await run(`${noun} list`, TERMINAL);
      expect(err).toMatch(/The account costs at least \$\d+\.\d\d an hour/);
      expect(err).toMatch(PARTS);
      expect((await run(`${noun} list`)).err).toBe('');
      expect((await run(`${noun} list --json`, TERMINAL)).err).not.toContain('The account');
    },
  );

  test('is said at the end of stop and terminate, without what was just ended', async () => {
    const run = await account();
    const stopped = await run('pods stop pod-train', TERMINAL);
    expect(stopped.err).toMatch(/The account goes on costing at least \$\d+\.\d\d an hour \(pods \$3\.\d\d,/);
    const ended = await run('pods terminate pod-broken --yes', TERMINAL);
    expect(ended.err).toMatch(
      /is terminated\.\nThe account goes on costing at least \$\d+\.\d\d an hour \(pods \$0\.\d/,
    );
    const gone = await run('clusters delete train --yes', TERMINAL);
    expect(gone.err).toMatch(/\(pods \$0\.\d+, workers \$8\.36/);
    expect((await run('endpoints delete busy --yes', TERMINAL)).err).not.toContain('workers');
    // In a log too; a script that reads JSON is spared the requests.
    expect((await run('pods start pod-train')).code).toBe(0);
    expect((await run('pods stop pod-train')).err).toContain('The account goes on costing');
    expect((await run('pods stop pod-train --json')).err).not.toContain('The account');
    expect((await run('pods stop pod-train --quiet')).err).not.toContain('The account');
  });

  test.each(['pods stop --all --yes --json', 'pods terminate --all --yes --json --force'])(
    '%s in a pipe says what the account goes on costing, with what ends it',
    async (argv) => {
      const run = await account();
      const { err } = await run(argv);
      expect(err).toMatch(/The account goes on costing at least .*clusters \$.*workers \$/);
      expect(err).toMatch(/^Still paid: cluster (\S+) \(train\): berth --local clusters delete \1$/m);
      expect(err).toMatch(
        /^Still paid: workers of endpoint (\S+) \(busy\): berth --local endpoints update \1 --workers-min 0$/m,
      );
      const again = await run(argv);
      expect(again.err).toContain('The account goes on costing');
    },
  );

  test('goes on after stop --all: a pod in ERROR and a locked one are named with what ends them', async () => {
    const run = createAccount();
    const { code, err } = await run('pods stop --all --yes');
    expect(code).toBe(0);
    const lines = err
      .split('\n')
      .filter((line) => line.startsWith('Still paid: '))
      .toSorted();
    expect(lines).toEqual([
      expect.stringMatching(
        /^Still paid: pod pod-broken .*, ERROR, \$2\.69 an hour: berth --local pods terminate pod-broken$/,
      ),
      expect.stringMatching(
        /^Still paid: pod pod-web .*, locked, \$0\.12 an hour: berth --local pods update pod-web --locked off, then berth --local pods stop pod-web$/,
      ),
    ]);
  });

  test('of a pod in ERROR is in its explanation, with the command that ends it', async () => {
    const { out } = await createAccount()('pods explain pod-broken --json');
    const { evidence, cure } = JSON.parse(out) as { readonly evidence: unknown; readonly cure: readonly string[] };
    expect(evidence).toContainEqual({ fact: 'cost', value: '$2.69/hr', source: 'GET /v2/pods/pod-broken' });
    expect(cure.at(-1)).toBe('berth --local pods terminate pod-broken');
  });

  test('of a month is shown for every volume; high-performance storage costs more than the published price', async () => {
    const { out } = await createAccount()('volumes list');
    expect(out).toMatch(/^vol-datasets\t.*\t>\$122\.88$/m);
    expect(out).toMatch(/^vol-checkpoints\t.*\t\$35\.00$/m);
  });

  test('names what could not be read', async () => {
    const server = await serve([
      routed(
        { 'GET /v2/pods': json({ pods: [{ id: 'p', cost: 1 }, { id: 'q' }] }) },
        problem(403, 'not with this key'),
      ),
    ]);
    const { err } = await berth(['pods', 'list'], { ...TERMINAL, env: pointedAt(server.url) });
    expect(err).toContain(
      'The account costs at least $1.00 an hour (pods $1.00; the cost of 1 pod is not known; the endpoints could not be read; the volumes could not be read).',
    );
  });
});
