import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { onTestFinished } from 'vitest';

/** Starts per trial: few in the normal tests, more with LOCK_TRIALS=40. */
export const STARTS = Number(process.env['LOCK_TRIALS'] ?? 3);

/** The command that starts a worker in another environment, such as a namespace. */
export type Around = readonly string[];
export const HERE: Around = [];
export const OWN_PIDS: Around = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child'];
export const ownHost = (name: string): Around => [
  ...['unshare', '--uts', '--pid', '--fork', '--mount-proc', '--kill-child'],
  ...['sh', '-c', `hostname ${name} && exec "$@"`, 'sh'],
];

/** Whether a command exits with 0 on this machine: namespaces need permissions, and programs may be missing. */
export function works(around: Around): boolean {
  const line = [...around, 'true'];
  return spawnSync(line[0] ?? '', line.slice(1), { timeout: 300_000 }).status === 0;
}

export interface Worker {
  readonly name: string;
  readonly child: ChildProcess;
  /** Steps that it reported as synced. */
  readonly done: () => readonly string[];
  readonly ended: Promise<{ readonly code: number | null; readonly errors: string }>;
}

export interface Place {
  readonly folder: string;
  start(around?: Around, options?: { readonly steps?: number; readonly uid?: number }): Worker;
  /** Lines `enter NAME` and `leave NAME`, in the order of writing. */
  witness(): readonly string[];
  journal(): readonly string[];
  /** Resolves when the witness file has the line. */
  seen(line: string): Promise<void>;
}

/** Bundles the worker into one file for Node. */
export async function buildWorker(): Promise<{ readonly file: string; readonly remove: () => void }> {
  const folder = mkdtempSync(join(tmpdir(), 'berth-trial-'));
  const file = join(folder, 'worker.mjs');
  const entryPoints = ['test/trials/lock-worker.ts'];
  await build({ entryPoints, bundle: true, platform: 'node', format: 'esm', outfile: file, logLevel: 'error' });
  return {
    file,
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Creates a folder that workers share. Every process started in it is killed at the end of the test. */
export function createPlace(worker: string): Place {
  const folder = mkdtempSync(join(tmpdir(), 'berth-trial-'));
  const running = new Set<ChildProcess>();
  onTestFinished(async () => {
    for (const child of running) child.kill('SIGKILL');
    await Promise.all([...running].map((child) => new Promise((resolve) => child.once('close', resolve))));
    rmSync(folder, { recursive: true, force: true });
  });
  for (const file of ['witness', 'journal']) writeFileSync(join(folder, file), '');
  const lines = (file: string): readonly string[] => readFileSync(join(folder, file), 'utf8').split('\n').slice(0, -1);
  let count = 0;
  return {
    folder,
    witness: () => lines('witness'),
    journal: () => lines('journal'),
    start: (around = HERE, { steps = 3, uid } = {}) => {
      const name = `w${String(++count)}`;
      const line = [...around, process.execPath, worker, folder, name, String(steps)];
      const [command, ...args] = line as [string, ...string[]];
      const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...(uid !== undefined && { uid }) });
      running.add(child);
      let [output, errors] = ['', ''];
      child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
      child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
      const ended = new Promise<{ code: number | null; errors: string }>((resolve) => {
        child.once('close', (code) => {
          running.delete(child);
          resolve({ code, errors });
        });
      });
      return { name, child, ended, done: () => output.split('\n').slice(0, -1) };
    },
    seen: async (line) => {
      while (!lines('witness').includes(line)) await new Promise((resolve) => setTimeout(resolve, 5));
    },
  };
}

/**
 * Returns the violations of the lock in the witness file: workers that held it at the same time. `killed` are workers that were
 * dead before the next one entered, and so never left.
 */
export function overlaps(witness: readonly string[], killed: ReadonlySet<string> = new Set()): readonly string[] {
  let inside: string | undefined;
  const wrong: string[] = [];
  for (const line of witness) {
    const [word, name = ''] = line.split(' ');
    if (word === 'enter') {
      if (inside !== undefined && !killed.has(inside)) wrong.push(`${line} while ${inside} was at work`);
      inside = name;
    } else if (inside === name) inside = undefined;
    else wrong.push(`${line} while ${String(inside)} was at work`);
  }
  return wrong;
}
