import { describe, expect, it } from 'vitest';
import { remoteService } from '../../../support/servers/remote-service.ts';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';

/** What the service says of a pod whose deadline was over long ago, with these members. */
async function guarded(members: object) {
  const pod = {
    id: 'pod-odd',
    name: 'odd',
    status: 'RUNNING',
    createdAt: '2025-12-01T00:00:00Z',
    startedAt: '2025-12-01T00:00:00Z',
    cost: 1,
    env: { BERTH_STOP_AFTER: '1h', BERTH_TERMINATE_AFTER: '2h' },
    ...members,
  };
  const remote = await remoteService(({ method, url }) =>
    method !== 'GET'
      ? undefined
      : {
          answer: JSON.stringify(
            url.startsWith('/v2/pods/') ? pod : { pods: [pod], pagination: { hasNextPage: false } },
          ),
        },
  );
  const world = createTestWorld({ env: remote.env });
  const run = async (line: string) => await berthIn(world, ['guard', ...line.split(' '), '--json']);
  const ran = await run('run --allow-terminate');
  if (ran.out === '') throw new Error(ran.err);
  const writes = remote.server.seen.filter(({ method }) => method !== 'GET').length;
  const status = await berthIn(world, ['guard', 'status', '--json']);
  return { rows: JSON.parse(ran.out) as unknown, writes, status: JSON.parse(status.out) as unknown };
}

describe('a pod of which the service says what cannot be is left alone, and named', () => {
  it.each([
    ['a start at no time', { startedAt: '0001-01-01T00:00:00Z' }, 'startedAt'],
    ['a start in a number', { startedAt: '1' }, 'startedAt'],
    ['a start that is no text', { startedAt: 1 }, 'startedAt'],
    ['a start before the service', { startedAt: '2014-12-31T23:59:59Z' }, 'startedAt'],
    ['a start in the days to come', { startedAt: '2099-01-01T00:00:00Z' }, 'startedAt'],
    ['a start without a time zone', { startedAt: '2025-12-01T00:00:00' }, 'startedAt'],
    ['a creation that is no time', { createdAt: '1' }, 'createdAt'],
    ['a lock in a text', { locked: 'true' }, 'it is locked'],
    ['a lock in a number', { locked: 1 }, 'it is locked'],
    ['a cluster by its id', { cluster: 'c1' }, 'it is a member of a cluster'],
    ['a cluster without an id', { cluster: {} }, 'it is a member of a cluster'],
  ])('%s', async (_, members, says) => {
    const { rows, writes, status } = await guarded(members);
    expect([rows, writes]).toMatchObject([[{ id: 'pod-odd', action: 'report' }], 0]);
    expect(JSON.stringify(rows)).toContain(says);
    const { deadlines } = status as { readonly deadlines: readonly { readonly overdue: boolean }[] };
    expect(deadlines.filter(({ overdue }) => overdue)).toEqual([]);
  });
});

it.each([{ locked: false, cluster: null }, { locked: 0 }, { startedAt: '2025-12-01T01:00:00.5+01:00' }])(
  'what can be is ended: %j',
  async (members) => {
    expect((await guarded(members)).writes).toBe(1);
  },
);
