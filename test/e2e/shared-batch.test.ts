import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { describeWithPostgres, useCluster } from '../support/postgres/postgres.ts';
import { startService } from './queue-service.ts';
import { berth, berthPath, cleanEnvironment, startLine, temporaryFolder, type Environment } from './support.ts';

const TRIALS = path.join(import.meta.dirname, '../store-trials/run.mjs');
const ITEMS = 600;
const SHORT_TRIAL_MS = 360_000;

describeWithPostgres('a batch with its books in PostgreSQL', () => {
  const cluster = useCluster();

  /** A machine: a folder with its own HOME. Only the database, the service and a shared folder are common to all. */
  const machine = async (service: string): Promise<{ folder: string; env: Environment }> => {
    const folder = await temporaryFolder();
    const env = await cleanEnvironment({
      HOME: folder,
      BERTH_CONFIG_DIR: path.join(folder, 'config'),
      BERTH_DATA_DIR: path.join(folder, 'data'),
      BERTH_BASE_URL: service,
      BERTH_QUEUE_URL: service,
      BERTH_API_KEY: 'test-key-0123456789',
      PGPASSWORD: cluster().password,
    });
    return { folder, env };
  };

  test('is finished on another machine after the first one is deleted whole', async () => {
    const service = await startService();
    const shared = await temporaryFolder();
    const input = path.join(shared, 'in.jsonl');
    await writeFile(input, Array.from({ length: ITEMS }, (_, at) => `{"n":${String(at + 1)}}\n`).join(''));
    const store = cluster()
      .url(await cluster().createDatabase())
      .replace(/:[^:@/]*@/, '@');
    const common = ['--store', store, '--lease', '2s', '--json'];

    const first = await machine(service.url);
    const stopped = service.holdAfter(200);
    const out = path.join(shared, 'out');
    await mkdir(out);
    const run = ['jobs', 'batch', 'run', 'demo', '--input', input, '--out', out, '--name', 'nightly', ...common];
    const child = spawn(berthPath(), run, { cwd: first.folder, env: first.env, stdio: 'ignore' });
    const ended = new Promise((resolve) => child.on('close', resolve));
    await stopped;
    child.kill('SIGKILL');
    await ended;
    await rm(first.folder, { recursive: true });
    service.answerAll();

    const second = await machine(service.url);
    const options = { env: second.env, cwd: second.folder };
    const work = await berth(['jobs', 'batch', 'work', 'nightly', ...common], options);
    expect(work.stderr).not.toMatch(/not-a-secret|test-key/);
    const status = await berth(['jobs', 'batch', 'status', 'nightly', '--store', store, '--json'], options);
    const counts = JSON.parse(status.stdout) as Record<string, number> & { unknownItems?: readonly number[] };
    expect(counts).toMatchObject({ planned: ITEMS, inFlight: 0, waiting: 0, failed: 0 });
    expect(counts['completed']).toBe(ITEMS - (counts['unknown'] ?? 0));
    // Those that waited for an answer, and those whose intent was written and that were not sent yet.
    expect(counts['unknown']).toBeGreaterThan(0);
    expect(work.code).toBe(13);
    expect([...service.counts.values()].filter((times) => times !== 1)).toEqual([]);
    const exported = path.join(second.folder, 'all.jsonl');
    const result = await berth(['jobs', 'batch', 'export', 'nightly', '--store', store, '--out', exported], options);
    expect(result.code).toBe(0);
    const lines = (await readFile(exported, 'utf8')).trimEnd().split('\n');
    expect(new Set(lines.map((line) => (JSON.parse(line) as { item: number }).item)).size).toBe(counts['completed']);
    expect(existsSync(first.folder)).toBe(false);
  });

  test('passes a short trial with kills, stops, cuts and restarts of PostgreSQL', { timeout: SHORT_TRIAL_MS }, () => {
    const args = [TRIALS, '--short', '--quiet', ...startLine().map((word) => `--program=${word}`)];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: SHORT_TRIAL_MS });
    console.log(stdout);
    // As one text, so that a failure shows the findings.
    expect(status === 0 ? stderr : `exit ${String(status)}\n${stdout}${stderr}`).toBe('');
  });
});
