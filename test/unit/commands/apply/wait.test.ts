import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { untilRead } from '../../../support/clocks/deadline-clock.ts';
import { remoteService } from '../../../support/servers/remote-service.ts';
import { inWorld, run } from '../../../support/worlds/plan-runs.ts';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld, type TestWorld } from '../../../support/worlds/test-world.ts';

const POD = (name: string): string => `kind: pod\nname: ${name}\nimage: a/b:1\ngpu: {id: GPU-24G}`;
const ENDPOINT = 'kind: endpoint\nname: api\nimage: a/b:1\ngpu: {pools: [POOL-24G]}\nworkers: {min: 1}';
const SET = ['--set-name', 'web'];

async function apply(world: TestWorld, documents: readonly string[], flags: readonly string[]) {
  writeFileSync(path.join(world.directory, 'fleet.yaml'), documents.join('\n---\n'));
  return await run(world, ['apply', 'fleet.yaml', '--yes', '--json', ...flags]);
}

async function statusOf(world: TestWorld, pod: string): Promise<string> {
  const { out } = await run(world, ['pods', 'get', pod, '--json']);
  return (JSON.parse(out) as { readonly status: string }).status;
}

describe('apply --wait', () => {
  test('ends when pods can be reached and endpoints have rolled out; without it, at once', async () => {
    const world = inWorld();
    const at = world.clock.monotonic();
    expect((await apply(world, [POD('a')], [])).code).toBe(0);
    expect([world.clock.monotonic() - at, await statusOf(world, 'a')]).toEqual([0, 'PROVISIONING']);
    const ran = await apply(world, [POD('a'), POD('b'), ENDPOINT], ['--wait']);
    expect(ran.code, ran.err).toBe(0);
    expect([world.clock.monotonic() > at, await statusOf(world, 'b')]).toEqual([true, 'RUNNING']);
  });

  test('of what is not ready in time, it ends 9: it was made, and nothing is removed then', async () => {
    const world = inWorld();
    await apply(world, [POD('a'), POD('b')], SET);
    const ran = await apply(world, [POD('a'), POD('c')], [...SET, '--prune', '--wait', '--wait-timeout', '1s']);
    expect([ran.code, JSON.parse(ran.out)]).toMatchObject([
      9,
      [
        { name: 'a', action: 'none', ok: false },
        { name: 'c', action: 'create', ok: false },
        { name: 'b', action: 'delete', ok: false, error: { code: 'not-sent' } },
      ],
    ]);
    for (const name of ['b', 'c']) expect(await statusOf(world, name)).toMatch(/PROVISIONING|STARTING|RUNNING/);
  });
});

test('a pod that cannot start ends 10, also in an apply that is run again', async () => {
  const world = inWorld();
  const documents = [POD('bad').replace('a/b:1', 'example/does-not-start:latest'), POD('good')];
  const first = await apply(world, documents, ['--wait']);
  expect([first.code, first.err]).toEqual([10, expect.stringMatching(/pods explain pod-/)]);
  const again = await apply(world, documents, ['--wait']);
  expect([again.code, again.out]).toEqual([10, expect.stringContaining('is ERROR')]);
  expect((await apply(world, documents, [])).code).toBe(0);
});

test('independent things are written at once, four at most', async () => {
  const held: (() => void)[] = [];
  let most = 0;
  const first = () =>
    new Promise<void>((resolve) => {
      held.push(resolve);
      most = Math.max(most, held.length);
      // A fifth that was sent together with four comes before they go on.
      if (held.length === 4)
        void untilRead().then(() => {
          for (const go of held.splice(0)) go();
        });
    });
  const remote = await remoteService(({ method }) => (method === 'POST' ? { first } : undefined));
  const world = createTestWorld({ env: remote.env, clock: remote.clock });
  const volumes = Array.from(
    { length: 12 },
    (_, at) => `{kind: volume, name: v${String(at)}, size: 10, dataCenter: EU-NORTH-1}`,
  );
  writeFileSync(path.join(world.directory, 'fleet.yaml'), volumes.join('\n---\n'));
  expect((await berthIn(world, ['apply', 'fleet.yaml', '--yes'])).code).toBe(0);
  expect(most).toBe(4);
});
