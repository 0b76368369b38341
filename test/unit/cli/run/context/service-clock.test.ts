import { describe, expect, test } from 'vitest';
import { berthIn } from '../../../../support/worlds/run-berth.ts';
import { createTestClock } from '../../../../support/clocks/test-clock.ts';
import { createTestWorld } from '../../../../support/worlds/test-world.ts';
import { json } from '../../../../support/servers/scripted-server.ts';
import { works } from '../../../../support/worlds/expect-run.ts';

const START = Date.UTC(2026, 0, 1);
const DAY = 86_400_000;
const LOCAL = { env: { BERTH_LOCAL: '1' } };

/** A list with one pod that was created at the start of 2026, answered by a service whose clock says `date`. */
const pods = (date: string | undefined) =>
  json(
    { pods: [{ id: 'pod1', name: 'one', status: 'RUNNING', createdAt: new Date(START).toISOString() }] },
    200,
    date === undefined ? {} : { date },
  );

const ageOf = (out: string): string | undefined => {
  const [header = '', row = ''] = out.split('\n').map((line) => line.split('\t'));
  return row[header.indexOf('AGE')];
};

describe('ages follow the clock of the service', () => {
  test.each([
    ['ahead of this machine', START + 3 * DAY, '3d'],
    ['behind this machine', START + 5000, '5s'],
  ])('%s', async (_, date, age) => {
    const { out } = await works(['pods', 'list'], [pods(new Date(date).toUTCString())], {
      clock: createTestClock(START + DAY),
    });
    expect(ageOf(out)).toBe(age);
  });

  test.each([
    ['--older-than', '2d', 1],
    ['--newer-than', '4d', 1],
  ])('%s %s finds %i', async (flag, span, count) => {
    const { out } = await works(
      ['pods', 'list', flag, span, '--json'],
      [pods(new Date(START + 3 * DAY).toUTCString())],
      { clock: createTestClock(START - DAY) },
    );
    expect(JSON.parse(out)).toHaveLength(count);
  });
});

describe('the clock of the local service', () => {
  test('a pod is 26 hours older after `local clock advance 26h`', async () => {
    const world = createTestWorld(LOCAL);
    const create = 'pods create --name fresh --image image:1 --cpu cpu-general --vcpu 2 --json';
    const created = await berthIn(world, create.split(' '));
    expect(created.code, created.err).toBe(0);
    const { id } = JSON.parse(created.out) as { readonly id: string };
    expect((await berthIn(world, ['local', 'clock', 'advance', '26h'])).code).toBe(0);
    const shown = await berthIn(world, ['pods', 'get', id]);
    expect(shown.out).toMatch(/created\t.*\(1d ago\)/);
    const older = await berthIn(world, ['pods', 'list', '--all', '--older-than', '25h', '-o', 'id']);
    expect(older.out).toContain(id);
    const newer = await berthIn(world, ['pods', 'list', '--all', '--newer-than', '25h', '-o', 'id']);
    expect(newer.out).not.toContain(id);
  });

  test('`--from 1d` and `--since 10m` count back from the clock of the service', async () => {
    const world = createTestWorld({ ...LOCAL, clock: createTestClock(START) });
    await berthIn(world, ['local', 'clock', 'advance', '26h']);
    const billed = await berthIn(world, ['--verbose', 'billing', 'summary', '--from', '1d']);
    expect(billed.err).toContain('startTime=2026-01-01T02%3A00%3A00Z');
    const logged = await berthIn(world, ['--verbose', 'pods', 'logs', 'pod-train', '--since', '10m']);
    expect(logged.err).toContain('since=2026-01-02T01%3A50%3A00Z');
  });
});
