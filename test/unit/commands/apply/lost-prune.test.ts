import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { remoteService, type Fault } from '../../../support/servers/remote-service.ts';
import { killedRuns, worldAt } from '../../../support/worlds/killed-runs.ts';

const pod = (name: string): string => `{kind: pod, name: ${name}, image: 'a/b:1', gpu: {id: GPU-24G}}`;
const template = (name: string): string => `{kind: template, name: ${name}, image: 'a/b:1'}`;
const endpoint = (name: string): string => `{kind: endpoint, name: ${name}, image: 'a/b:1', gpu: {pools: [POOL-24G]}}`;
const BEFORE = [...['p1', 'p2', 'p3'].map(pod), ...['t1', 't2'].map(template), ...['e1', 'e2'].map(endpoint)];
const AFTER = [pod('p1'), pod('p4'), template('t1'), endpoint('e1')];
const PRUNE = ['--yes', '--set-name', 'web', '--prune', '--max-prune', '9'];

const TROUBLES = ['lost answer', 'kill before', 'kill after'] as const;

/** Prunes with trouble at one request, and again without. Returns how many requests were sent. */
async function pruneTwice(trouble: (typeof TROUBLES)[number] | undefined, at: number): Promise<number> {
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
  const apply = (documents: readonly string[]) => {
    writeFileSync(path.join(directory, 'fleet.yaml'), documents.join('\n---\n'));
    return runs.run(worldAt(remote.env, directory), ['apply', 'fleet.yaml', ...PRUNE]);
  };
  expect(await apply(BEFORE)).toMatchObject({ code: 0 });
  isOn = true;
  await apply(AFTER);
  isOn = false;
  expect(await apply(AFTER)).toMatchObject({ code: 0 });
  const names: string[] = [];
  for (const [collection, member] of [
    ['pods', 'pods'],
    ['templates', 'templates'],
    ['serverless', 'endpoints'],
  ] as const) {
    const rows = (await remote.send('GET', `/v2/${collection}`)).body[member] as readonly { readonly name: string }[];
    names.push(...rows.map(({ name }) => name).filter((name) => /^[pte]\d$/.test(name)));
  }
  expect([trouble, at, names.toSorted()]).toEqual([trouble, at, ['e1', 'p1', 'p4', 't1']]);
  expect(await apply(AFTER)).toMatchObject({ code: 0, err: '4 unchanged.\n' });
  await runs.end(remote.server.stop);
  return count;
}

/** BERTH_APPLY_FAULTS=all: every trouble at every request; otherwise one at every second. */
const ALL = process.env['BERTH_APPLY_FAULTS'] === 'all';

test(
  'a prune whose answer to any one request is lost, or that is killed at it, is done by the next one, and removes nothing else',
  { timeout: 600_000 },
  async () => {
    const requests = await pruneTwice(undefined, 0);
    expect(requests).toBeGreaterThan(10);
    for (let at = 0; at < requests; at++)
      for (const [index, trouble] of TROUBLES.entries())
        if (ALL || at % (2 * TROUBLES.length) === 2 * index) await pruneTwice(trouble, at);
  },
);
