/**
 * What a run of a guard costs: requests, CPU time and peak memory as ratios to `pods list -o json` of the same pods, in turn; with
 * nothing remembered, with samples of a week, and with ten pods to stop. Needs bash. `BENCH_GUARD_PODS` sets the number: `1000`.
 */
import { fork, spawnSync } from 'node:child_process';
import { once as event } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandCosts, median, printTable, verdict } from './measure.mjs';

const COUNT = Number(process.env.BENCH_GUARD_PODS ?? '1000');
const ROUNDS = 5;
/** The samples of a pod after a week, and the days that they are of. */
const SAMPLES = 200;
const DAYS = 7;
const ACTIONS = 10;

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

async function startServer() {
  const child = fork(here('list-server.mjs'), [String(COUNT), 'whole']);
  const [{ url }] = await event(child, 'message');
  const requests = async () => {
    child.send('requests');
    return (await event(child, 'message'))[0].requests;
  };
  return { url, requests, stop: () => child.disconnect() };
}

/** Gives every pod that is remembered in a folder samples of a week. */
async function fillWeek(folder) {
  const files = (await readdir(folder, { recursive: true })).filter((each) => path.basename(each).startsWith('guard'));
  if (files.length === 0) throw new Error(`nothing is remembered in ${folder}`);
  for (const name of files) {
    const file = path.join(folder, name);
    const kept = JSON.parse(await readFile(file, 'utf8'));
    for (const track of Object.values(kept.accounts).flatMap(({ pods }) => Object.values(pods))) {
      const step = (DAYS * 86_400_000) / SAMPLES;
      const times = Array.from({ length: SAMPLES }, (_, at) => track.seenAt - (SAMPLES - at) * step);
      track.samples = times.map((time) => [Math.round(time), 41, 10, 20]);
    }
    await writeFile(file, JSON.stringify(kept), { mode: 0o600 });
  }
}

/** `berth` is the path of the launcher, `home` a folder for files. */
export async function benchGuard({ berth, home, env }) {
  if (spawnSync('bash', ['--version']).error !== undefined) {
    console.log('The cost of a guard is not measured: bash is missing.\n');
    return;
  }
  const server = await startServer();
  const week = path.join(home, 'week');
  const command = (data, words) =>
    `BERTH_DATA_DIR='${data}' BERTH_BASE_URL=${server.url} '${process.execPath}' --require '${here('peak-memory.cjs')}' '${berth}' ${words}`;
  const run = 'guard run --idle 2h -o jsonl';
  // One pod in 800 has this name and runs.
  const names = Array.from({ length: ACTIONS }, (_, at) => `training-run-${at * 4}`).join(',');
  const cases = [
    { name: 'pods list -o json', requests: 1, command: command(path.join(home, 'list'), 'pods list -o json') },
    {
      name: 'guard run, nothing remembered',
      requests: 1,
      command: `rm -rf '${home}/new'; ${command(path.join(home, 'new'), run)}`,
    },
    { name: `guard run, ${SAMPLES} samples of each pod`, requests: 1, command: command(week, run) },
    {
      name: `guard run that stops ${ACTIONS}`,
      requests: 1 + 2 * ACTIONS,
      command: command(path.join(home, 'acts'), `guard run --max-running 1h --match '{${names}}' -o jsonl`),
    },
  ];
  const all = { ...env, BERTH_API_KEY: 'bench' };
  await commandCosts(command(week, run), all);
  await fillWeek(week);
  const results = cases.map(() => []);
  for (let round = -1; round < ROUNDS; round++)
    for (const [index, each] of cases.entries()) {
      await server.requests();
      const costs = { ...(await commandCosts(each.command, all)), requests: await server.requests() };
      if (round >= 0) results[index].push(costs);
    }
  server.stop();
  const of = (index, member) => median(results[index].map((each) => each[member]));
  printTable(
    `guard, ${COUNT} pods: CPU and peak memory, medians of ${ROUNDS} in turn`,
    ['', 'requests', 'ms', 'ratio', 'MiB', 'ratio', ''],
    cases.map(({ name, requests }, index) => [
      name,
      String(of(index, 'requests')),
      of(index, 'milliseconds').toFixed(0),
      (of(index, 'milliseconds') / of(0, 'milliseconds')).toFixed(2),
      of(index, 'mebibytes').toFixed(0),
      (of(index, 'mebibytes') / of(0, 'mebibytes')).toFixed(2),
      results[index].some(({ code }) => code !== 0 && code !== 15)
        ? 'FAILED'
        : verdict(of(index, 'requests') === requests),
    ]),
  );
}
