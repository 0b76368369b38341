import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { replayJournal } from '../../src/batch/store/replay.ts';
import { realClock } from '../../src/host/runtime/runtime.ts';
import { openDurable } from '../../src/host/files/durable-files.ts';
import { LOCAL_KEY } from '../../src/local/http/admission.ts';
import type { FaultRecord } from '../../src/local/http/faults.ts';
import { serveLocal } from '../../src/local/http/server.ts';
import { createLocalService } from '../../src/local/service.ts';
import { memoryStore, type Store } from '../../src/local/state/store.ts';
import { countSubmissions, journalMismatches } from '../support/batch/check-journal.ts';
import { berth, berthPath, cleanEnvironment, temporaryFolder, type Environment } from './support.ts';
import { realLocks } from '../support/files/real-locks.ts';

/**
 * Batches killed at random moments, over and over, until each is done, each with a trouble of its own besides. After
 * every kill the journal is held against what the service itself holds. `BERTH_KILL_SEED` repeats the moments and the
 * troubles of a run, `BERTH_KILL_ROUNDS` asks for more of them.
 */
const SEED = Number(process.env['BERTH_KILL_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const ROUNDS = Number(process.env['BERTH_KILL_ROUNDS'] ?? 10);
const ITEMS = 120;
const LANES = 2;
/** Each time, workers have to be started anew. */
const MOST_JUMPS = 3;
/** Milliseconds after the start of a process at which it is killed: from loading its code to the middle of its work. */
const EARLIEST_KILL = 80;
const LATEST_KILL = 1200;

type Chance = () => number;

/** A small generator whose whole future is in its seed. */
function chance(seed: number): Chance {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Fault = Omit<FaultRecord, 'id'>;

/** What a batch has to bear beside being killed. */
interface Trouble {
  readonly name: string;
  /** As `berth local fault` sets them. Few enough that the batch does not give up: it does after 20 lost in a row. */
  readonly faults?: (random: Chance) => readonly Fault[];
  /** Some of its processes find a disk that takes no more than a little. */
  readonly fullDisk?: true;
  /** Between some of its processes retention passes. */
  readonly clockJumps?: true;
}

const SUBMIT = 'POST /v2/echo/run';
const LOOK = 'GET /v2/echo/status';
const upTo = (most: number, random: Chance): number => 1 + Math.floor(random() * most);

/** Strikes some of the submissions and some of the looks, each so often. */
const both = (fault: Fault, probability: number, random: Chance): readonly Fault[] => [
  { ...fault, match: SUBMIT, count: upTo(15, random), probability },
  { ...fault, match: LOOK, count: upTo(15, random), probability },
];

const TROUBLES: readonly Trouble[] = [
  { name: 'none' },
  { name: 'a storm of 429', faults: (random) => both({ kind: 'rate-limit', retryAfter: 1 }, 0.5, random) },
  {
    name: '5xx',
    faults: (random) => both({ kind: 'server-error', status: 499 + upTo(5, random) }, 0.05, random),
  },
  { name: 'latency', faults: (random) => [{ kind: 'latency', latencyMs: upTo(300, random), probability: 0.3 }] },
  { name: 'resets before acceptance', faults: (random) => both({ kind: 'drop' }, 0.05, random) },
  { name: 'resets after acceptance', faults: (random) => both({ kind: 'accept-drop' }, 0.05, random) },
  { name: 'a full disk', fullDisk: true },
  { name: 'a clock past retention', clockJumps: true },
];

interface Service {
  readonly url: string;
  readonly store: Store;
  control(path: string, body: object): Promise<void>;
}

/** In this process: in another one its state would be a file, written anew at every request, and slow down the killing. */
async function startService(random: Chance): Promise<Service> {
  const store = memoryStore();
  const service = createLocalService({ clock: realClock, random, store, queueLimits: true });
  const served = await serveLocal(service, { port: 0, host: '127.0.0.1' });
  onTestFinished(async () => {
    await served.stop();
    await service.stop();
  });
  const control: Service['control'] = async (where, body) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${LOCAL_KEY}` };
    const answer = await fetch(`${served.url}/local/${where}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(await answer.text());
  };
  return { url: served.url, store, control };
}

/** Runs a program until it ends or, where it is to be, is killed. Gives its exit code, undefined where it was killed. */
function runAndKill(
  [command = '', ...args]: readonly string[],
  cwd: string,
  env: Environment,
  killAfter: number | undefined,
): Promise<number | undefined> {
  const child = spawn(command, args, { cwd, env, stdio: 'ignore' });
  const timer = killAfter === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfter);
  return new Promise((resolve) => {
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve(code ?? undefined);
    });
  });
}

/**
 * A command whose files may not grow beyond some more than they have: the system takes a part of a write, then none
 * (EFBIG), as a full disk does. A disk that is really full, or that reports EIO, nobody can make without privileges:
 * those are the tests of a disk that fails, in one process.
 */
async function onFullDisk(command: readonly string[], folder: string, random: Chance): Promise<readonly string[]> {
  const sizes = ['out.jsonl', 'out.jsonl.journal'].map((name) =>
    stat(path.join(folder, name)).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  const blocks = Math.floor(Math.max(...(await Promise.all(sizes))) / 512 + random() * 20);
  return ['/bin/sh', '-c', `ulimit -f ${String(blocks)}; exec "$0" "$@"`, ...command];
}

/** How many kills are still to be, of all batches together. */
interface Rounds {
  left: number;
}

/** One batch, killed until it is done, or until there were enough. Gives how it went, for people. */
async function killUntilDone(batch: number, rounds: Rounds): Promise<string> {
  const begun = Date.now();
  const random = chance(SEED + batch);
  const trouble = TROUBLES[(SEED + batch) % TROUBLES.length] ?? { name: '' };
  // With chances of its own: how many requests come is not in the seed, and the moments of the kills are.
  const service = await startService(chance(~(SEED + batch)));
  for (const fault of trouble.faults?.(random) ?? []) await service.control('fault', fault);
  const folder = await temporaryFolder();
  const env = await cleanEnvironment({
    BERTH_BASE_URL: service.url,
    BERTH_QUEUE_URL: service.url,
    BERTH_API_KEY: LOCAL_KEY,
  });
  const inputs = Array.from({ length: ITEMS }, (_, at) => `{"n":${String(at + 1)}}\n`);
  await writeFile(path.join(folder, 'in.jsonl'), inputs.join(''));
  const begin = [berthPath(), 'jobs', 'batch', 'run', 'echo', '--input', 'in.jsonl', '--out', 'out.jsonl'];
  const resume = [berthPath(), 'jobs', 'batch', 'resume', 'out.jsonl'];
  const hasBegun = (): boolean => existsSync(path.join(folder, 'out.jsonl.journal'));
  const durable = openDurable({ stdin: Readable.from([]), cwd: folder }, new AbortController().signal, realLocks());
  const seen = new Map<string, number>();
  let [kills, stops, jumps] = [0, 0, 0];
  for (;;) {
    const command = hasBegun() ? resume : begin;
    const moment = EARLIEST_KILL + random() * (LATEST_KILL - EARLIEST_KILL);
    const way = trouble.fullDisk === true ? await onFullDisk(command, folder, random) : command;
    const code = await runAndKill(way, folder, env, rounds.left > 0 ? moment : undefined);
    const where = `seed ${String(SEED)}, batch ${String(batch)} (${trouble.name}), kill ${String(kills + 1)}`;
    if (hasBegun()) {
      const taken = await countSubmissions(service.store, seen);
      const { states } = await replayJournal(durable, 'out.jsonl');
      expect(journalMismatches(states, taken, ITEMS), where).toEqual([]);
    }
    if (code === undefined) {
      kills += 1;
      rounds.left -= 1;
    } else if (trouble.fullDisk === true && code === 14) stops += 1;
    else {
      const unknown = await expectDone(folder, env, code, where);
      const [seconds, stopped] = [
        Math.round((Date.now() - begun) / 1000),
        stops === 0 ? '' : `${String(stops)} stops, `,
      ];
      return `batch ${String(batch)}, ${trouble.name}: ${String(kills)} kills, ${stopped}${String(unknown)} items unknown, ${String(seconds)} s`;
    }
    if (trouble.clockJumps === true && jumps < MOST_JUMPS && random() < 0.3) {
      jumps += 1;
      await service.control('clock', { advanceMs: 31 * 60_000 });
    }
  }
}

/** What a batch that is done says of itself is what its results say, and nothing is missing. Gives what is unknown. */
async function expectDone(folder: string, env: Environment, code: number, where: string): Promise<number> {
  const { stdout } = await berth(['jobs', 'batch', 'status', 'out.jsonl', '--json'], { env, cwd: folder });
  const sum = JSON.parse(stdout) as Record<string, number> & { readonly unknownItems: readonly number[] };
  const { planned, completed = 0, expired = 0, unknown } = sum;
  expect([planned, completed + expired, unknown], where).toEqual([
    ITEMS,
    ITEMS - sum.unknownItems.length,
    sum.unknownItems.length,
  ]);
  expect(code, where).toBe(completed === ITEMS ? 0 : 13);
  const text = await readFile(path.join(folder, 'out.jsonl'), 'utf8');
  const results = text
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { readonly item: number }).item);
  const all = Array.from({ length: ITEMS }, (_, at) => at + 1);
  expect(
    results.sort((a, b) => a - b),
    where,
  ).toEqual(all.filter((item) => !sum.unknownItems.includes(item)));
  return sum.unknownItems.length;
}

test('a batch that is killed again and again loses nothing and sends nothing twice', async () => {
  console.log(`note: BERTH_KILL_SEED=${String(SEED)}`);
  const rounds: Rounds = { left: ROUNDS };
  let batches = 0;
  const lane = async (): Promise<void> => {
    while (rounds.left > 0) console.log(await killUntilDone((batches += 1), rounds));
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  console.log(`note: ${String(ROUNDS - rounds.left)} kills in ${String(batches)} batches of ${String(ITEMS)} items`);
  expect(rounds.left).toBeLessThanOrEqual(0);
});
