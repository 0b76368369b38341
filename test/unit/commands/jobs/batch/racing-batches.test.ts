import { cpSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  commandIn,
  COUNT,
  doIn,
  expectWhole,
  filePlace,
  killedRun,
  type Place,
  sharedPlace,
  worldOf,
} from '../../../../support/batch/batch-place.ts';
import { batchIn } from '../../../../support/batch/store-world.ts';
import { startPausingProxy } from '../../../../support/postgres/pausing-proxy.ts';
import { describeWithPostgres, useCluster } from '../../../../support/postgres/postgres.ts';
import type { Ran } from '../../../../support/worlds/run-berth.ts';

/** While a batch is worked on: what a command for the same place does, by its exit code. */
type Meanwhile = readonly [what: string, exit: number, command: (place: Place) => Promise<Ran>];

const MEANWHILE: readonly Meanwhile[] = [
  ['another batch', 14, (place) => doIn(place, 'two', 'run')],
  ['a removal', 2, (place) => doIn(place, 'one', 'remove')],
];

/** Runs batch one, and the command when its fourth request arrives. The batch must end as if nothing had happened. */
async function during(place: Place, [, exit, command]: Meanwhile): Promise<void> {
  let requests = 0;
  const meanwhile: { ran?: Ran } = {};
  place.service.onRequest = async () => {
    requests += 1;
    if (requests === 4) meanwhile.ran = await command(place);
  };
  const ran = await doIn(place, 'one', 'run');
  expect([meanwhile.ran?.code, ran.code], `${String(meanwhile.ran?.err)} ${ran.err}`).toEqual([exit, 0]);
  expect(place.service.jobs).toHaveLength(COUNT);
  await expectWhole(place, 'one');
}

describe('a batch at a results file that is worked on', () => {
  test.each<Meanwhile>([...MEANWHILE, ['a resume', 14, (place) => doIn(place, 'one', 'resume')]])(
    'is not touched by %s',
    async (...meanwhile) => {
      await during(await filePlace(), meanwhile);
    },
  );
});

/** Items are sent one after the other: a batch that is killed has some that were not. */
const slowly = (place: Place): Place => ({ ...place, at: (name) => [...place.at(name), '--in-flight', '1'] });

const LOCK = 'r.jsonl.journal.lock';

test('a resume sends nothing of a batch that took the place of its own, at whatever moment that was', async () => {
  const place = slowly(await filePlace());
  const { world, service } = place;
  const folder = join(world.directory, 'results');
  const [first, second] = ['first', 'second'].map((name) => join(world.directory, name)) as [string, string];
  for (const [name, kept] of [
    ['two', second],
    ['one', first],
  ] as const) {
    expect((await killedRun(place, name, 2)).killed).toBe(true);
    rmSync(join(folder, LOCK), { recursive: true });
    renameSync(folder, kept);
    mkdirSync(folder);
  }
  const sent = service.jobs.length;
  const swap = (from: string): void => {
    rmSync(folder, { recursive: true, force: true });
    cpSync(from, folder, { recursive: true });
  };
  let swaps = 0;
  for (let moment = 1; moment === 1 || swaps === moment - 1; moment++) {
    swap(first);
    let moments = 0;
    // Dates are asked for at many places. With the lock, no other process removes the batch any more.
    const now = (): number => {
      moments += 1;
      if (moments === moment && !readdirSync(folder).some((entry) => entry.startsWith(LOCK))) {
        swap(second);
        swaps += 1;
      }
      return world.clock.now();
    };
    const ran = await doIn({ ...place, world: { ...world, clock: { ...world.clock, now } } }, 'one', 'resume');
    if (swaps < moment) break;
    // Before it has looked, it resumes the other one.
    expect([0, 14], ran.err).toContain(ran.code);
    expect(service.jobs.slice(sent).filter(({ endpoint }) => endpoint === 'one')).toEqual([]);
    await expectWhole(place, 'two');
  }
  expect(swaps).toBeGreaterThan(0);
});

describeWithPostgres('a batch in a folder that is worked on', () => {
  const cluster = useCluster();

  test.each<Meanwhile>([
    ...MEANWHILE,
    ['a cleaning', 0, (place) => doIn(place, 'one', 'clean')],
    ['another batch of another store', 14, (place) => doIn(place, 'two', 'run')],
  ])('is not touched by %s', async (...meanwhile) => {
    await during(await sharedPlace(cluster(), meanwhile[0].includes('store') ? 2 : 1), meanwhile);
  });

  /** A batch that was killed and cancelled, and a way to bring it back. */
  async function cancelledBatch() {
    const place = await sharedPlace(cluster(), 1);
    expect((await killedRun(place, 'one', COUNT + 2)).killed).toBe(true);
    expect((await commandIn(place, 'one', 'cancel', 'one')).code).toBe(0);
    await place.save('one');
    return place;
  }

  /** The same place for a process whose transactions begin behind a proxy. */
  async function behind(place: Place, before: (transaction: number) => Promise<void> | void): Promise<Place> {
    const { BERTH_STORE = '' } = place.env('one');
    const url = new URL(BERTH_STORE);
    url.port = String(await startPausingProxy(Number(url.port), before));
    return { ...place, env: () => ({ BERTH_STORE: url.href }) };
  }

  test('is removed by one process while another resumes it: with all its results, or not at all', async () => {
    const place = await cancelledBatch();
    // Its first transactions list what it will remove.
    for (let moment = 7, last = false; !last; moment++) {
      await place.restore('one');
      let resumed: Ran | undefined;
      const removing = await behind(place, async (transaction) => {
        if (transaction === moment) resumed = await doIn(place, 'one', 'resume');
      });
      const removed = await doIn(removing, 'one', 'remove');
      last = resumed === undefined;
      const said = `before transaction ${String(moment)}: ${removed.err} ${String(resumed?.err)}`;
      if (removed.code === 0) expect(await place.contents(), said).toEqual([]);
      else {
        expect(removed.code, said).toBe(2);
        await expectWhole(place, 'one');
      }
    }
  });

  test('is not resumed by a process that knew the batch before it of the same name', async () => {
    const place = await sharedPlace(cluster(), 1);
    const { service } = place;
    expect((await killedRun(place, 'one', COUNT)).killed).toBe(true);
    await place.save('one');
    for (let moment = 1; moment <= 8; moment++) {
      await place.restore('one');
      let sent = Number.POSITIVE_INFINITY;
      const resuming = await behind(place, async (transaction) => {
        if (transaction !== moment) return;
        if ((await doIn(place, 'one', 'remove')).code !== 0) return;
        const again = ['run', 'two', '--input', 'two.jsonl', ...place.at('one'), '--in-flight', '1'];
        const second = worldOf(place, 'one');
        service.onRequest = () => {
          second.signal('SIGINT');
        };
        expect((await batchIn(second, ...again)).code).toBe(130);
        service.onRequest = () => undefined;
        sent = service.jobs.length;
      });
      const resumed = await doIn(resuming, 'one', 'resume');
      const said = `before transaction ${String(moment)}: ${String(resumed.code)} ${resumed.err}`;
      expect(
        service.jobs.slice(sent).filter(({ endpoint }) => endpoint === 'one'),
        said,
      ).toEqual([]);
    }
  });

  test('is not taken back by its creator, who fails, when another driver works on it', async () => {
    const place = await sharedPlace(cluster(), 1);
    const marker = join(place.world.directory, 'parts', 'berth-batch.json');
    let worked: Ran | undefined;
    const creating = await behind(place, async () => {
      if (worked?.code === 0) return;
      worked = await commandIn(place, 'one', 'work', 'one');
      if (worked.code === 0) renameSync(marker, `${marker}.kept`);
    });
    expect((await doIn(creating, 'one', 'run')).code).toBe(14);
    expect(worked?.code).toBe(0);
    renameSync(`${marker}.kept`, marker);
    await expectWhole(place, 'one');
  });
});
