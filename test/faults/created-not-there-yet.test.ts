import { describe, expect, test } from 'vitest';
import { createBatchWorld, local, write } from '../support/batch/command-fixture.ts';
import { berthIn } from '../support/worlds/run-berth.ts';

const LAG = ['fault', 'add', 'replica-lag', '--latency'];

describe('right after a create, with a replica that lags by three seconds', () => {
  const POD = ['pods', 'create', '--name', 'lab', '--gpu', 'GPU-24G', '--image', 'example/pytorch:2.8'];
  const ENDPOINT = ['endpoints', 'create', '--name', 'lab', '--gpu-pool', 'POOL-24G', '--image', 'example/worker:1'];
  const VOLUME = [
    'volumes',
    'create',
    '--name',
    'lab',
    '--size',
    '10',
    '--data-center',
    'EU-WEST-1',
    '--type',
    'STANDARD',
  ];

  test.each<readonly [string, readonly string[], readonly string[]]>([
    ['pods terminate', POD, ['pods', 'terminate', 'ID', '--yes']],
    ['pods terminate, by name', POD, ['pods', 'terminate', 'lab', '--yes']],
    ['pods terminate, by a selector', POD, ['pods', 'terminate', '--match', 'lab', '--yes']],
    ['pods explain', POD, ['pods', 'explain', 'ID']],
    ['pods get', POD, ['pods', 'get', 'ID']],
    ['endpoints get', ENDPOINT, ['endpoints', 'get', 'lab']],
    ['volumes delete', VOLUME, ['volumes', 'delete', 'lab', '--yes']],
  ])('%s asks again until it is there', async (_, create, argv) => {
    const made = await createBatchWorld();
    await local(made, ...LAG, '3s');
    const created = await berthIn(made, [...create, '--yes', '-o', 'id']);
    const id = created.out.trim();
    expect(id, created.err).not.toBe('');
    const ran = await berthIn(
      made,
      argv.map((word) => (word === 'ID' ? id : word)),
    );
    expect(ran, ran.err).toMatchObject({ code: 0 });
    expect(ran.err).toMatch(/not there yet|Not listed yet/);
    expect(ran.err).not.toContain('None is');
  });

  test.each(['3s', '0s'])(
    'a name that two have, one of them just created, is refused with a lag of %s',
    async (lag) => {
      const made = await createBatchWorld();
      const first = (await berthIn(made, [...POD, '--yes', '-o', 'id'])).out.trim();
      made.clock.advance(2 * 60_000);
      await local(made, 'clock', 'advance', '2m');
      if (lag !== '0s') await local(made, ...LAG, lag);
      const second = (await berthIn(made, [...POD, '--yes', '-o', 'id'])).out.trim();
      const ran = await berthIn(made, ['pods', 'terminate', 'lab', '--yes']);
      expect(ran.code, ran.err).toBe(2);
      expect(ran.err).toContain(`2 pods are named "lab"`);
      for (const id of [first, second]) expect(ran.err).toContain(id);
    },
  );

  test('what is not there after a minute ends 4, and may be there and paid', async () => {
    const made = await createBatchWorld();
    await local(made, ...LAG, '1h');
    const id = (await berthIn(made, [...POD, '--yes', '-o', 'id'])).out.trim();
    const before = made.clock.monotonic();
    const ran = await berthIn(made, ['pods', 'get', id]);
    expect(ran.code).toBe(4);
    expect(ran.err).toContain(`pod ${id} is not found, although this machine has just created it`);
    expect(ran.err).toContain('It may be there, and be paid: berth pods list');
    expect(made.clock.monotonic() - before).toBeLessThan(62_000);
  });

  test('what this machine deleted is not asked for again', async () => {
    const made = await createBatchWorld();
    const id = (await berthIn(made, [...POD, '--yes', '-o', 'id'])).out.trim();
    await berthIn(made, ['pods', 'terminate', id, '--yes']);
    const ran = await berthIn(made, ['pods', 'get', id]);
    expect(ran.code).toBe(4);
    expect(ran.err).not.toContain('not there yet');
  });

  describe('a rename', () => {
    const TEMPLATE = ['templates', 'create', '--name', 'lab', '--image', 'a/b:1'];
    const CREATES = { pods: POD, endpoints: ENDPOINT, volumes: VOLUME, templates: TEMPLATE };
    const kinds = Object.keys(CREATES) as (keyof typeof CREATES)[];
    const FILE = 'file.yaml';
    const RENAMES = {
      '--name': (noun: string) => [noun, 'update', 'lab', '--name', 'lab-2'],
      '--file': (noun: string) => [noun, 'update', 'lab', '--file', FILE],
      apply: () => ['apply', FILE, '--yes'],
    };
    const ways = Object.keys(RENAMES) as (keyof typeof RENAMES)[];

    test.each(kinds.flatMap((noun) => ways.map((way) => [noun, way] as const)))(
      'of %s by %s: the name before is not found, at once, and the new one is waited for',
      async (noun, way) => {
        const made = await createBatchWorld();
        const id = (await berthIn(made, [...CREATES[noun], '-o', 'id'])).out.trim();
        write(
          made,
          FILE,
          way === 'apply' ? `{kind: ${noun.slice(0, -1)}, id: ${id}, name: lab-2}` : '{"name": "lab-2"}',
        );
        const renamed = await berthIn(made, RENAMES[way](noun));
        expect(renamed.code, renamed.err).toBe(0);
        const before = made.clock.monotonic();
        const ran = await berthIn(made, [noun, 'get', 'lab']);
        expect([ran.code, made.clock.monotonic() - before], ran.err).toEqual([4, 0]);
        expect(ran.err).toContain('Did you mean lab-2?');
        await local(made, ...LAG, '3s');
        expect((await berthIn(made, [noun, 'get', 'lab-2'])).code).toBe(0);
      },
    );
  });
});
