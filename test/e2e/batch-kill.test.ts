import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { addsUp } from '../../src/batch/ledger.ts';
import { replay } from '../../src/batch/replay.ts';
import { realClock } from '../../src/host/clock.ts';
import { openDurable } from '../../src/host/durable.ts';
import { LOCAL_KEY } from '../../src/local/auth.ts';
import { serveLocal } from '../../src/local/server.ts';
import { createLocalService } from '../../src/local/service.ts';
import { memoryStore, type Store } from '../../src/local/store.ts';
import { berth, berthPath, cleanEnvironment, temporaryFolder, type Environment } from './support.ts';

/**
 * Batches killed at random moments, over and over, until each is done. After every kill the journal is held against what
 * the service itself has counted. `BERTH_KILL_SEED` repeats the moments of a run, `BERTH_KILL_ROUNDS` asks for more of
 * them.
 */
const SEED = Number(process.env['BERTH_KILL_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const ROUNDS = Number(process.env['BERTH_KILL_ROUNDS'] ?? 200);
const ITEMS = 500;
const LANES = 2;
/** Milliseconds after the start of a process at which it is killed: from loading its code to the middle of its work. */
const EARLIEST_KILL = 80;
const LATEST_KILL = 700;

/** A small generator whose whole future is in its seed. */
function chance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

async function startService(): Promise<{ readonly url: string; readonly store: Store }> {
  const store = memoryStore();
  const service = createLocalService({ clock: realClock, random: Math.random, store, queueLimits: true });
  const served = await serveLocal(service, { port: 0, host: '127.0.0.1' });
  onTestFinished(async () => {
    await served.stop();
    await service.stop();
  });
  return { url: served.url, store };
}

/** How often the service took each item of a batch. */
const submissions = (store: Store, batch: number): Promise<ReadonlyMap<number, number>> =>
  store.transact(
    () => {
      throw new Error('the service has no state');
    },
    ({ queue }) => {
      const counts = new Map<number, number>();
      for (const { input } of Object.values(queue.jobs)) {
        const { b, n } = JSON.parse(input) as { readonly b: number; readonly n: number };
        if (b === batch) counts.set(n, (counts.get(n) ?? 0) + 1);
      }
      return counts;
    },
  );

/** Runs berth until it ends or is killed. Gives its exit code, undefined where it was killed. */
async function runAndKill(
  args: readonly string[],
  cwd: string,
  env: Environment,
  killAfter: number,
): Promise<number | undefined> {
  const child = spawn(berthPath(), args, { cwd, env, stdio: 'ignore' });
  const ended = new Promise<number | undefined>((resolve) => {
    child.on('close', (code) => {
      resolve(code ?? undefined);
    });
  });
  await Promise.race([ended, pause(killAfter)]);
  child.kill('SIGKILL');
  return ended;
}

/** What must hold of every item, whenever the process ended. */
async function expectTrue(folder: string, store: Store, batch: number, where: string): Promise<void> {
  const durable = openDurable({ stdin: Readable.from([]), cwd: folder });
  if ((await durable.size('out.jsonl.journal')) === undefined) return;
  const taken = await submissions(store, batch);
  const { ledger } = await replay(durable, 'out.jsonl');
  expect(addsUp(ledger.accounting()), where).toBe(true);
  for (let item = 1; item <= ITEMS; item++) {
    const state = ledger.stateOf(item);
    const times = taken.get(item) ?? 0;
    if (state === 'waiting') expect(times, `${where}: waiting item ${String(item)}`).toBe(0);
    else if (state === 'sending' || state === 'unknown')
      expect(times, `${where}: ${state} item ${String(item)}`).toBeLessThan(2);
    else expect(times, `${where}: ${state} item ${String(item)}`).toBe(1);
  }
}

/** One batch, killed until it is done. Gives how often. */
async function killUntilDone(batch: number, service: { readonly url: string; readonly store: Store }): Promise<number> {
  const random = chance(SEED + batch);
  const folder = await temporaryFolder();
  const env = await cleanEnvironment({
    BERTH_BASE_URL: service.url,
    BERTH_QUEUE_URL: service.url,
    BERTH_API_KEY: LOCAL_KEY,
  });
  const inputs = Array.from({ length: ITEMS }, (_, at) => `{"b":${String(batch)},"n":${String(at + 1)}}\n`);
  await writeFile(path.join(folder, 'in.jsonl'), inputs.join(''));
  const begin = ['jobs', 'batch', 'run', 'echo', '--input', 'in.jsonl', '--out', 'out.jsonl'];
  const resume = ['jobs', 'batch', 'resume', 'out.jsonl'];
  const durable = openDurable({ stdin: Readable.from([]), cwd: folder });
  let kills = 0;
  for (;;) {
    const started = await replay(durable, 'out.jsonl').then(
      () => true,
      () => false,
    );
    if (!started) for (const name of ['out.jsonl', 'out.jsonl.journal']) await durable.remove(name);
    const killAfter = EARLIEST_KILL + random() * (LATEST_KILL - EARLIEST_KILL);
    const code = await runAndKill(started ? resume : begin, folder, env, killAfter);
    const where = `seed ${String(SEED)}, batch ${String(batch)}, kill ${String(kills + 1)}`;
    await expectTrue(folder, service.store, batch, where);
    if (code !== undefined) {
      const { stdout } = await berth(['jobs', 'batch', 'status', 'out.jsonl', '--json'], { env, cwd: folder });
      const sum = JSON.parse(stdout) as Record<string, number> & { readonly unknownItems: readonly number[] };
      expect([sum['completed'], sum['unknown'], sum['planned']], where).toEqual([
        ITEMS - sum.unknownItems.length,
        sum.unknownItems.length,
        ITEMS,
      ]);
      expect(code, where).toBe(sum.unknownItems.length === 0 ? 0 : 13);
      return kills;
    }
    kills += 1;
  }
}

test('a batch that is killed again and again loses nothing and sends nothing twice', async () => {
  console.log(`BERTH_KILL_SEED=${String(SEED)}`);
  const service = await startService();
  let kills = 0;
  let batches = 0;
  const lane = async (): Promise<void> => {
    while (kills < ROUNDS) kills += await killUntilDone((batches += 1), service);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  console.log(`${String(kills)} kills in ${String(batches)} batches of ${String(ITEMS)} items`);
  expect(kills).toBeGreaterThanOrEqual(ROUNDS);
}, 360_000);
