/**
 * The batch part of `npm run bench`: submissions per second against a server that answers as fast as possible, compared with
 * a load generator at the same concurrency: the server counts both, after the first three seconds of each; submissions and
 * polls of jobs whose durations vary; and memory by the length of the input. `BENCH_BATCH_ITEMS` sets the length of the longest input.
 */
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { once as event } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { startFixed } from './fixed.mjs';
import { median, printTable, verdict } from './measure.mjs';

const CONCURRENCY = 32;
const ROUNDS = 5;
const SECONDS = 8;
const RATIO_TARGET = 0.35;
const SHORT = 10_000;
const LONG = Number(process.env.BENCH_BATCH_ITEMS ?? 1_000_000);
const SPREAD_SECONDS = 30;
const SPREAD_TARGET = 0.95;
const POLLS_TARGET = 1.6;
const GROWTH_TARGET = 1.2;
const MEMORY_TARGET_MIB = 150;

const usage = fileURLToPath(new URL('usage.cjs', import.meta.url));

async function writeItems(file, count) {
  const out = createWriteStream(file);
  for (let item = 1; item <= count; item++) {
    if (!out.write(`{"n":${item}}\n`)) await event(out, 'drain');
  }
  await event(out.end(), 'close');
}

/** Runs a batch. Returns its peak memory in MiB and its duration in seconds. */
async function runBatch(berth, folder, env, args) {
  const started = performance.now();
  const child = spawn(process.execPath, ['--require', usage, berth, 'jobs', 'batch', 'run', ...args], {
    cwd: folder,
    env,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  let report = '';
  child.stdio[3].on('data', (data) => (report += data));
  const [code] = await event(child, 'close');
  return { code, mebibytes: JSON.parse(report).mebibytes, seconds: (performance.now() - started) / 1000 };
}

const at = (env, url) => ({ ...env, BERTH_BASE_URL: url, BERTH_QUEUE_URL: url, BERTH_API_KEY: 'bench' });
const fast = ['--rate', '1000000', '--concurrency', String(CONCURRENCY)];

/** Runs the batch and the load generator in turn against the same server; the batch is stopped after some seconds. */
async function benchSubmissions(berth, folder, env) {
  const server = await startFixed('waiting');
  const [ours, theirs] = [[], []];
  await writeItems(path.join(folder, 'many.jsonl'), 300_000);
  for (let round = 0; round < ROUNDS; round++) {
    await autocannon({
      url: `${server.url}/v2/bench/run`,
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer bench' },
      body: '{"input":{"n":100000}}',
      connections: CONCURRENCY,
      duration: SECONDS,
    });
    theirs.push((await server.ask()).rate);
    const out = `many-${round}.out`;
    const limits = ['--in-flight', '1000000', '--max-time', `${SECONDS}s`];
    await runBatch(berth, folder, at(env, server.url), [
      'bench',
      '--input',
      'many.jsonl',
      '--out',
      out,
      ...fast,
      ...limits,
    ]);
    ours.push((await server.ask()).rate);
  }
  server.stop();
  // Both runs of a pair follow each other, so that the load of the machine is similar.
  const ratio = median(ours.map((rate, round) => rate / theirs[round]));
  printTable(
    `Submissions a second at concurrency ${CONCURRENCY}, medians of ${ROUNDS} in turn`,
    ['', 'a second', 'ratio', 'target', ''],
    [
      ['load generator', median(theirs).toFixed(0), '', '', ''],
      [
        'berth jobs batch run',
        median(ours).toFixed(0),
        ratio.toFixed(2),
        String(RATIO_TARGET),
        verdict(ratio >= RATIO_TARGET),
      ],
    ],
  );
}

/** Jobs of 0.5 to 3 s, 10,000 in flight, at the known limits and at 500 a second: submissions, and polls of each job. */
async function benchSpread(berth, folder, env) {
  const rows = [];
  for (const rate of [99, 500]) {
    const server = await startFixed('spread');
    const count = rate * SPREAD_SECONDS;
    await writeItems(path.join(folder, 'spread.jsonl'), count);
    const args = ['bench', '--input', 'spread.jsonl', '--out', `spread-${rate}.out`, '--in-flight', '10000'];
    await runBatch(berth, folder, at(env, server.url), [...args, '--rate', String(rate), '--concurrency', '200']);
    const { submissions, looks, seconds } = await server.ask();
    server.stop();
    const ratio = submissions / seconds / rate;
    const polls = looks / submissions;
    rows.push([
      String(rate),
      (submissions / seconds).toFixed(1),
      ratio.toFixed(2),
      polls.toFixed(2),
      verdict(ratio >= SPREAD_TARGET && polls <= POLLS_TARGET),
    ]);
  }
  printTable(
    `Jobs of 0.5 to 3 s (targets ${SPREAD_TARGET} and ${POLLS_TARGET})`,
    ['allowed a second', 'submitted', 'ratio', 'polls a job', ''],
    rows,
  );
}

async function benchMemory(berth, folder, env) {
  const server = await startFixed('done');
  const rows = [];
  for (const count of [SHORT, LONG]) {
    await writeItems(path.join(folder, 'memory.jsonl'), count);
    const out = `memory-${count}.out`;
    rows.push({
      count,
      ...(await runBatch(berth, folder, at(env, server.url), [
        'bench',
        '--input',
        'memory.jsonl',
        '--out',
        out,
        ...fast,
      ])),
    });
    await rm(path.join(folder, out));
    await rm(path.join(folder, `${out}.journal`));
  }
  server.stop();
  const [short, long] = rows;
  const growth = long.mebibytes / short.mebibytes;
  printTable(
    'Peak resident memory, by the number of items of a batch',
    ['items', 'MiB', 'ratio', 'items a second', ''],
    [
      [String(short.count), short.mebibytes.toFixed(0), '', (short.count / short.seconds).toFixed(0), ''],
      [
        String(long.count),
        long.mebibytes.toFixed(0),
        growth.toFixed(2),
        (long.count / long.seconds).toFixed(0),
        `target ${GROWTH_TARGET} and ${MEMORY_TARGET_MIB} MiB: ${verdict(growth <= GROWTH_TARGET && long.mebibytes < MEMORY_TARGET_MIB)}`,
      ],
    ],
  );
}

/** `berth` is the path of the launcher, `home` the folder for all files that are written. */
export async function benchBatch({ berth, home, env }) {
  const folder = path.join(home, 'batch');
  await mkdir(folder);
  await benchSubmissions(berth, folder, env);
  await benchSpread(berth, folder, env);
  await benchMemory(berth, folder, env);
}
