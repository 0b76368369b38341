import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { remoteService, type Fault } from '../../../support/servers/remote-service.ts';
import { inWorld, plan, rows, run } from '../../../support/worlds/plan-runs.ts';
import { killedRuns, worldAt } from '../../../support/worlds/killed-runs.ts';
import type { TestWorld } from '../../../support/worlds/test-world.ts';

const OLD = 'kind: pod\nname: lab\nimage: a/b:1\ngpu: {id: GPU-24G}\nenv: {MODE: fast}\nports: [8080/http]';
const NEW = 'kind: pod\nname: lab\ngpu: {id: GPU-48G}';

interface Pod {
  readonly id: string;
  readonly name: string;
  readonly image: string;
  readonly gpu: { readonly id: string };
  readonly env: Readonly<Record<string, string>>;
  readonly ports: readonly string[];
}

const labs = async (world: TestWorld): Promise<readonly Pod[]> =>
  (JSON.parse((await run(world, ['pods', 'list', '--json'])).out) as readonly Pod[]).filter(
    ({ name }) => name === 'lab',
  );

async function apply(world: TestWorld, text: string, ...flags: readonly string[]) {
  writeFileSync(path.join(world.directory, 'fleet.yaml'), text);
  return await run(world, ['apply', 'fleet.yaml', '--yes', ...flags]);
}

describe('apply --replace', () => {
  test('says that a persistent mount is destroyed only where there is one', async () => {
    for (const [mount, lost] of [
      ['', 'its container disk is destroyed'],
      ['\nmounts: {persistent: {size: 20, path: /data}}', 'its container disk and persistent mount are destroyed'],
    ] as const) {
      const world = inWorld();
      await apply(world, `${OLD}${mount}`);
      const { out } = await plan(world, NEW, ['--replace']);
      expect(out).toContain(lost);
      const [row] = await rows(world, NEW, ['--replace']);
      expect(row?.destroys).toEqual(['container disk', ...(mount === '' ? [] : ['persistent mount'])]);
    }
  });

  test('makes a pod on another GPU with what the old one has, and then terminates the old one', async () => {
    const world = inWorld();
    await apply(world, OLD);
    const [old] = await labs(world);
    const [row] = await rows(world, NEW, ['--replace']);
    expect(row).toMatchObject({ action: 'replace', changes: [{ path: 'gpu.id', effect: 'replaces' }] });
    expect(row?.costAfter).toBeGreaterThan(row?.costBefore ?? 0);
    const ran = await apply(world, NEW, '--replace');
    expect([ran.code, ran.err], ran.out).toEqual([0, expect.stringMatching(/^1 replaced\. They/) as string]);
    const [now, ...others] = await labs(world);
    expect(others).toEqual([]);
    expect(now).toMatchObject({ image: 'a/b:1', gpu: { id: 'GPU-48G' }, env: { MODE: 'fast' }, ports: ['8080/http'] });
    expect(now?.id).not.toBe(old?.id);
    expect((await plan(world, NEW)).code).toBe(0);
  });

  test('without it, the GPU cannot be changed', async () => {
    const world = inWorld();
    await apply(world, OLD);
    expect(await rows(world, NEW)).toMatchObject([{ action: 'blocked', changes: [{ effect: 'fixed' }] }]);
    expect((await apply(world, NEW)).code).toBe(5);
  });

  test('where there is no room for the new one, the old one stays', async () => {
    const world = inWorld();
    await apply(world, OLD);
    const before = await labs(world);
    await run(world, ['local', 'fault', 'add', 'low-balance', '--match', 'POST /v2/pods']);
    expect((await apply(world, NEW, '--replace')).code).toBe(5);
    expect(await labs(world)).toEqual(before);
  });

  test('a locked pod is not replaced', async () => {
    const world = inWorld();
    await apply(world, `${OLD}\nlocked: true`);
    const ran = await apply(world, NEW, '--replace');
    expect([ran.code, ran.err]).toEqual([5, expect.stringContaining('locked') as string]);
    expect(await labs(world)).toHaveLength(1);
  });

  test('a pod whose id is in the file is not replaced: the file would name what is gone', async () => {
    const world = inWorld();
    await apply(world, OLD);
    const [old] = await labs(world);
    const ran = await apply(world, `${NEW}\nid: ${old?.id ?? ''}`, '--replace');
    expect([ran.code, ran.err]).toEqual([5, expect.stringContaining('leave the id out') as string]);
    expect((await labs(world)).map(({ id }) => id)).toEqual([old?.id]);
  });

  test('a dry run shows both requests, and no secret variable of the old one', async () => {
    const world = inWorld();
    await apply(world, OLD.replace('MODE: fast', 'MODE: fast, LAB_PASSWORD: of-the-old-pod'));
    const ran = await apply(world, NEW, '--replace', '--dry-run');
    const requests = JSON.parse(ran.out) as readonly { readonly method: string }[];
    expect(requests.map(({ method }) => method)).toEqual(['POST', 'DELETE']);
    expect(ran.out).not.toContain('of-the-old-pod');
    expect((await apply(world, NEW, '--replace', '--dry-run', '--show-secrets')).out).toContain('of-the-old-pod');
  });
});

/** Replaces a pod with trouble at one request, and again without. Returns how many requests were sent. */
async function replaceTwice(
  trouble: 'lost answer' | 'kill before' | 'kill after' | undefined,
  at: number,
  lag: number,
) {
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
  const go = (...argv: readonly string[]) => runs.run(worldAt(remote.env, directory), argv);
  writeFileSync(path.join(directory, 'fleet.yaml'), OLD);
  expect(await go('apply', 'fleet.yaml', '--yes')).toMatchObject({ code: 0 });
  if (lag > 0) await remote.send('POST', '/local/fault', { kind: 'replica-lag', latencyMs: lag });
  remote.clock.advance(lag);
  writeFileSync(path.join(directory, 'fleet.yaml'), OLD.replace('24G', '48G'));
  isOn = true;
  await go('apply', 'fleet.yaml', '--yes', '--replace');
  isOn = false;
  expect(await go('apply', 'fleet.yaml', '--yes', '--replace')).toMatchObject({ code: 0 });
  remote.clock.advance(lag);
  expect(await go('apply', 'fleet.yaml', '--yes', '--replace')).toMatchObject({ code: 0 });
  const pods = (await remote.send('GET', '/v2/pods')).body['pods'] as readonly Pod[];
  expect(pods.filter(({ name }) => name === 'lab').map(({ gpu }) => gpu.id)).toEqual(['GPU-48G']);
  await runs.end(remote.server.stop);
  return count;
}

test.each([0, 20_000])(
  'after a lost answer or a kill at any request, with a lag of %d ms, one new pod is there and the old one is gone',
  { timeout: 300_000 },
  async (lag) => {
    const requests = await replaceTwice(undefined, 0, lag);
    for (let at = 0; at < requests; at++)
      for (const trouble of ['lost answer', 'kill before', 'kill after'] as const) await replaceTwice(trouble, at, lag);
  },
);
