import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { fleetOf, namesOf, THIRTY_THINGS } from '../../../support/apply/thirty-things.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { remoteService, type Fault } from '../../../support/servers/remote-service.ts';
import { killedRuns, worldAt } from '../../../support/worlds/killed-runs.ts';

// An apply whose answer to any one request is lost, or that is killed before or after it was done, and is then run again.

/**
 * BERTH_APPLY_FAULTS=all: thirty things, every trouble at every request, with and without a lag. Otherwise one of each kind, one
 * trouble at each request, with a lag.
 */
const ALL = process.env['BERTH_APPLY_FAULTS'] === 'all';

const TROUBLES = ['lost answer', 'kill before', 'kill after'] as const;
type Trouble = (typeof TROUBLES)[number];

/** A service and a folder; `apply` with `isDisturbed` has trouble at one request. */
async function disturbed(trouble: Trouble | undefined, at: number) {
  let [count, isOn] = [0, false];
  const remote = await remoteService(({ method, url, body }): Fault | undefined => {
    if (!isOn || count++ !== at || trouble === undefined) return undefined;
    if (trouble === 'lost answer') return 'lose';
    return {
      first: async () => {
        if (trouble === 'kill after') await remote.send(method, url, body.length === 0 ? undefined : body.toString());
        await runs.kill();
      },
    };
  });
  const runs = killedRuns(remote.clock);
  const directory = temporaryDirectory();
  const run = (...argv: readonly string[]) => runs.run(worldAt(remote.env, directory), argv);
  const apply = async (text: string, flags: readonly string[] = [], isDisturbed = false) => {
    writeFileSync(path.join(directory, 'fleet.yaml'), text);
    isOn = isDisturbed;
    const ran = await run('apply', 'fleet.yaml', '--yes', ...flags);
    isOn = false;
    return ran;
  };
  return { remote, run, apply, requests: () => count, end: () => runs.end(remote.server.stop) };
}

/** For so long a list does not have what is new. Milliseconds. */
const LAG_MS = 20_000;
const FLEET = ALL ? THIRTY_THINGS : fleetOf(1);

/** Applies with trouble at one request, and again without; each thing is there once. Returns how many requests were sent. */
async function applyTwice(trouble: Trouble | undefined, at: number, lag: number): Promise<number> {
  const { remote, run, apply, requests, end } = await disturbed(trouble, at);
  if (lag > 0) await remote.send('POST', '/local/fault', { kind: 'replica-lag', latencyMs: lag });
  const first = await apply(FLEET.text, [], true);
  if (trouble === undefined) expect(first).toMatchObject({ code: 0 });
  if (trouble?.startsWith('kill') === true) expect(first).toBeUndefined();
  // Nothing of a killed run is on this machine: only the list tells.
  if (first === undefined) {
    // What the killed run had sent arrives before.
    for (let turn = 0; turn < 200; turn++) await new Promise(setImmediate);
    remote.clock.advance(lag);
  }
  expect(await apply(FLEET.text)).toMatchObject({ code: 0 });
  remote.clock.advance(lag);
  expect(await run('plan', 'fleet.yaml')).toMatchObject({ code: 0 });
  for (const [collection, names] of FLEET.names) expect(await namesOf(remote, collection)).toEqual(names);
  await end();
  return requests();
}

const CASES = (ALL ? [0, LAG_MS] : [LAG_MS]).flatMap((lag) => TROUBLES.map((trouble) => ({ lag, trouble })));

test.each(CASES)('$trouble at any request, with a lag of $lag ms', { timeout: 0 }, async ({ lag, trouble }) => {
  const requests = await applyTwice(undefined, 0, lag);
  expect(requests).toBeGreaterThan(12);
  const step = ALL ? 1 : TROUBLES.length;
  for (let at = ALL ? 0 : TROUBLES.indexOf(trouble); at < requests; at += step) await applyTwice(trouble, at, lag);
});

const pod = (name: string): string => `{kind: pod, name: ${name}, image: 'a/b:1', gpu: {id: GPU-24G}}`;
const template = (name: string): string => `{kind: template, name: ${name}, image: 'a/b:1'}`;
const endpoint = (name: string): string => `{kind: endpoint, name: ${name}, image: 'a/b:1', gpu: {pools: [POOL-24G]}}`;
const BEFORE = [...['p1', 'p2', 'p3'].map(pod), ...['t1', 't2'].map(template), ...['e1', 'e2'].map(endpoint)];
const AFTER = [pod('p1'), pod('p4'), template('t1'), endpoint('e1')].join('\n---\n');
const PRUNE = ['--set-name', 'web', '--prune', '--max-prune', '9'];

/** Prunes with trouble at one request, and again without. Returns how many requests were sent. */
async function pruneTwice(trouble: Trouble | undefined, at: number): Promise<number> {
  const { remote, apply, requests, end } = await disturbed(trouble, at);
  expect(await apply(BEFORE.join('\n---\n'), PRUNE)).toMatchObject({ code: 0 });
  await apply(AFTER, PRUNE, true);
  expect(await apply(AFTER, PRUNE)).toMatchObject({ code: 0 });
  const names: string[] = [];
  for (const collection of ['pods', 'templates', 'serverless']) {
    const rows = Object.values((await remote.send('GET', `/v2/${collection}`)).body).find((each) =>
      Array.isArray(each),
    );
    names.push(
      ...(rows as readonly { name: string }[]).map(({ name }) => name).filter((name) => /^[pte]\d$/.test(name)),
    );
  }
  expect([trouble, at, names.toSorted()]).toEqual([trouble, at, ['e1', 'p1', 'p4', 't1']]);
  expect(await apply(AFTER, PRUNE)).toMatchObject({ code: 0, err: '4 unchanged.\n' });
  await end();
  return requests();
}

test(
  'a prune with trouble at any request is done by the next one, and removes nothing else',
  { timeout: 600_000 },
  async () => {
    const requests = await pruneTwice(undefined, 0);
    expect(requests).toBeGreaterThan(10);
    for (let at = 0; at < requests; at++)
      for (const [index, trouble] of TROUBLES.entries())
        if (ALL || at % (2 * TROUBLES.length) === 2 * index) await pruneTwice(trouble, at);
  },
);
