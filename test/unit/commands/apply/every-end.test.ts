/** Each way in which an apply can end: what it reports is what the service has. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { remoteService, type Fault } from '../../../support/servers/remote-service.ts';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';

/** BERTH_APPLY_FAULTS=all: every trouble at every request. Otherwise one of them at every third request. */
const ALL = process.env['BERTH_APPLY_FAULTS'] === 'all';

interface Reported {
  readonly action: string;
  readonly kind: string;
  readonly name: string;
  readonly id?: string;
  readonly ok: boolean;
  readonly done: boolean;
  readonly error?: { readonly code: string; readonly hint?: string };
}

const pod = (name: string, gpu = 'GPU-24G', more = '') =>
  `kind: pod\nname: ${name}\nimage: a/b:1\ngpu: {id: ${gpu}}\n${more}`;
const VOLUME = 'kind: volume\nname: data\nsize: 2000\ndataCenter: EU-NORTH-1\n';
const ENDPOINT = 'kind: endpoint\nname: api\nimage: a/b:1\ngpu: {pools: [POOL-24G]}\nworkers: {min: 1}\n';

const NEW = [pod('a'), pod('b', 'GPU-48G', 'locked: true\n'), VOLUME, ENDPOINT];
const BAD = [pod('a', 'GPU-24G').replace('a/b:1', 'example/does-not-start:latest'), pod('b'), ENDPOINT];
const CHANGED = [pod('a'), VOLUME.replace('2000', '3000'), ENDPOINT.replace('min: 1', 'min: 2')];
const SET = ['--set-name', 'web', '--prune'];
const PRUNE = [...SET, '--max-prune', '9'];

/** An apply: what was there before it, its documents, the flags that `plan` takes too, and those that only an apply takes. */
const APPLIES: readonly (readonly [
  title: string,
  before: readonly string[],
  documents: readonly string[],
  planFlags: readonly string[],
  flags: readonly string[],
])[] = [
  ['a new fleet', [], NEW, [], []],
  ['a new fleet with --wait', [], NEW, [], ['--wait']],
  ['a wait that runs out', [], NEW, [], ['--wait', '--wait-timeout', '1s']],
  ['a pod that does not start', [], BAD, [], ['--wait']],
  ['changes and a prune', [pod('a'), pod('b'), VOLUME, ENDPOINT], CHANGED, SET, PRUNE],
];

const TROUBLES = ['none', 'refused', 'failed', 'lost answer', 'interrupted before', 'interrupted after'] as const;
type Trouble = (typeof TROUBLES)[number];

/** Applies with trouble at one request, and checks its report. Returns how many requests were sent. */
async function applyOnce(
  [, before, documents, planFlags, flags]: (typeof APPLIES)[number],
  trouble: Trouble,
  at: number,
): Promise<number> {
  let [count, isOn] = [0, false];
  let interrupt = (): void => undefined;
  const faults: Readonly<Record<Trouble, (seen: { method: string; url: string; body: Buffer }) => Fault | undefined>> =
    {
      none: () => undefined,
      refused: () => ({ refuse: 400 }),
      failed: () => ({ refuse: 500 }),
      'lost answer': () => 'lose',
      'interrupted before': () => ({
        first: () => {
          interrupt();
          return new Promise(() => undefined);
        },
      }),
      'interrupted after': ({ method, url, body }) => ({
        first: async () => {
          await remote.send(method, url, body.length === 0 ? undefined : body.toString());
          interrupt();
          return await new Promise(() => undefined);
        },
      }),
    };
  const remote = await remoteService((seen) => {
    if (!isOn || count++ !== at) return undefined;
    return faults[trouble](seen);
  });
  const cwd = temporaryDirectory();
  const env = { ...remote.env, BERTH_DATA_DIR: path.join(cwd, 'data') };
  const run = async (...argv: readonly string[]) => {
    const world = createTestWorld({ env, cwd, clock: remote.clock });
    interrupt = () => {
      world.signal('SIGINT');
    };
    return await berthIn(world, argv);
  };
  const write = (texts: readonly string[]): void => {
    writeFileSync(path.join(cwd, 'fleet.yaml'), texts.join('---\n'));
  };
  const setName = planFlags.includes('--prune') ? SET.slice(0, 2) : [];
  if (before.length > 0) {
    write(before);
    expect(await run('apply', 'fleet.yaml', '--yes', ...setName)).toMatchObject({ code: 0 });
  }
  write(documents);
  isOn = true;
  const ran = await run('apply', 'fleet.yaml', '--yes', '--json', ...flags);
  isOn = false;
  const title = `${trouble} at ${String(at)}: ${ran.out}${ran.err}`;
  const planned = JSON.parse((await run('plan', 'fleet.yaml', '--json', ...planFlags)).out) as readonly Reported[];
  const there = (await remote.send('GET', '/v2/pods')).body['pods'] as readonly { id: string; name: string }[];
  remote.server.stop();
  // An apply that ends before its first write prints an error alone.
  if (ran.out === '') return count;
  const reported = JSON.parse(ran.out) as readonly Reported[];
  const isUnknown = (name: string): boolean =>
    reported.some((row) => row.name === name && row.error?.code === 'outcome-unknown');
  for (const { id, name } of there.filter((each) => ['a', 'b'].includes(each.name))) {
    const isReported = reported.some((row) => row.id === id) || ran.err.includes(`pods stop ${id}`);
    expect([id, isReported || isUnknown(name)], title).toEqual([id, true]);
  }
  if (trouble.startsWith('interrupted'))
    expect(`${ran.out}${ran.err}`, title).not.toMatch(/did not go through|something before it failed/);
  for (const { kind, id, done, action } of reported)
    if (kind === 'pod' && done && action !== 'delete')
      expect([id, there.some((each) => each.id === id)], title).toEqual([id, true]);
  for (const { kind, name, done, action } of reported)
    if (done && action !== 'delete')
      expect(planned.find((row) => row.kind === kind && row.name === name)?.action, title).not.toBe('create');
  return count;
}

test.each(APPLIES)('%s, with trouble at any request', { timeout: 0 }, async (...given) => {
  const requests = await applyOnce(given, 'none', -1);
  // Each apply starts at another request and another trouble: together they meet all.
  const first = APPLIES.findIndex(([title]) => title === given[0]);
  const troubles = TROUBLES.slice(1);
  for (let at = ALL ? 0 : first % 3; at < requests; at += ALL ? 1 : 3)
    for (const trouble of ALL ? troubles : troubles.filter((_, each) => each === (at + first) % troubles.length))
      await applyOnce(given, trouble, at);
});
