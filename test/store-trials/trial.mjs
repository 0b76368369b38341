/** One trial: a batch with several drivers, to which the events of a plan happen, and its check. */
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { once } from 'node:events';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { sleep, start, until } from '../chaos/processes.mjs';
import { checkIdentity, checkItems, readParts, readUnknown } from './accounts.mjs';
import { createDriver } from './driver.mjs';
import { createLanes } from './events.mjs';
import { drawPlan } from './plan.mjs';
import { startService } from './service.mjs';
import { startTcpProxy } from './tcp-proxy.mjs';

const NAME = 'trial';
const TICK_MS = 50;
/** The service answers slowly while more events than this are due, so that the items do not end before the events. */
const MAX_DUE = 4;
const SLOW_ANSWER_MS = 250;

/** Exit codes of drivers and the causes that explain them. */
const EXPLAINED = {
  0: ['always'],
  13: ['always'],
  7: ['cut', 'restart', 'crash', 'stop', 'objects'],
  SIGKILL: ['SIGKILL'],
};

const isExplained = ({ code, signal, hung }, causes) => {
  const known = hung ? [] : (EXPLAINED[code ?? signal] ?? []);
  return known.includes('always') || known.some((cause) => causes.has(cause));
};

/** Writes a line for each item; the first one has the number after `before`. */
export async function writeItems(file, items, before = 0) {
  const out = createWriteStream(file);
  for (let item = before + 1; item <= before + items; item += 1)
    if (!out.write(`{"n":${item}}\n`)) await once(out, 'drain');
  await once(out.end(), 'close');
}

/**
 * Runs a trial in `folder`. `options`: seed, items, drivers, leaseMs, rate, boundMs, counts of the events, and `objects`, the
 * object store with `address`, `env` and `read(name)`, or undefined for a folder. Returns the outcome with its findings.
 */
export async function runTrial({ folder, cluster, program, log, options }) {
  const { seed, items, shardItems, drivers: count, leaseMs, rate, counts, boundMs, objects } = options;
  await mkdir(folder, { recursive: true });
  const findings = [];
  const found = (kind, detail = '') => {
    log(`FOUND ${kind}: ${detail}`);
    findings.push({ kind, detail });
  };
  const database = await cluster.createDatabase();
  const service = await startService({ items });
  const proxies = await Promise.all(Array.from({ length: count }, () => startTcpProxy(() => cluster.port)));
  const input = path.join(folder, 'in.jsonl');
  const out = objects?.address ?? path.join(folder, 'out');
  await writeItems(input, items);
  const environment = {
    BERTH_BASE_URL: service.url,
    BERTH_QUEUE_URL: service.url,
    BERTH_API_KEY: 'trial-key-0123456789',
    PGPASSWORD: cluster.password,
    ...objects?.env,
  };
  const storeArgs = (port) => ['--store', `postgres://postgres@127.0.0.1:${port}/${database}`];
  const limits = ['--lease', `${leaseMs}ms`, '--rate', String(rate), '--concurrency', '32', '--json'];
  const planned = async () => {
    const sql = `SELECT to_regclass('berth.batches') IS NOT NULL`;
    if ((await cluster.query(sql, database).catch(() => 'f')) !== 't') return undefined;
    return (await cluster.query(`SELECT 1 FROM berth.batches WHERE name = '${NAME}'`, database)) === '1' || undefined;
  };
  const runArgs = [
    ...['jobs', 'batch', 'run', 'trial', '--input', input, '--out', out, '--name', NAME],
    ...['--shard-items', String(shardItems)],
  ];
  const drivers = [];
  const begin = (number) =>
    createDriver({
      number,
      program,
      folder,
      // Only the first process of the first driver begins the batch.
      command: (first) => [
        ...(number === 0 && first ? runArgs : ['jobs', 'batch', 'work', NAME]),
        ...storeArgs(proxies[number].port),
        ...limits,
      ],
      env: environment,
      secrets: [cluster.password, environment.BERTH_API_KEY],
      found,
      explained: isExplained,
    });

  const began = performance.now();
  const outcome = { findings, events: {}, notApplied: 0, identities: 0, seconds: 0, unknown: 0, starts: 0, ends: {} };
  try {
    drivers.push(begin(0));
    if ((await until(planned, boundMs, TICK_MS)) === undefined)
      throw new Error(`the batch is not planned: ${drivers[0].said()}`);
    for (let number = 1; number < count; number += 1) drivers.push(begin(number));
    await disturb({
      cluster,
      database,
      service,
      proxies,
      drivers,
      outcome,
      found,
      log,
      plan: drawPlan({ seed, drivers: count, counts, leaseMs }),
      items,
      objects,
    });
    const left = boundMs - (performance.now() - began);
    const ended = await Promise.race([
      Promise.all(drivers.map((driver) => driver.ended)),
      wait(Math.max(0, left), undefined, { ref: false }),
    ]);
    if (ended === undefined)
      found('the batch does not end', drivers.map((driver) => driver.said().slice(-400)).join('\n'));
  } catch (error) {
    found('the trial failed', error.stack);
  } finally {
    for (const driver of drivers) await driver.stop();
    outcome.seconds = (performance.now() - began) / 1000;
  }
  for (const driver of drivers) {
    outcome.starts += driver.starts;
    for (const [name, times] of Object.entries(driver.ends)) outcome.ends[name] = (outcome.ends[name] ?? 0) + times;
  }
  for (const proxy of proxies) proxy.close();
  const runBerth = async (...args) => {
    const command = [...program, 'jobs', 'batch', ...args, ...storeArgs(cluster.port)];
    return await start(command, { cwd: folder, env: { ...process.env, HOME: folder, ...environment } }).ended;
  };
  await checkAll({ cluster, database, service, items, folder, out, objects, outcome, found, runBerth }).catch((error) =>
    found('the check failed', error.stack),
  );
  service.stop();
  return outcome;
}

/** Makes each event happen at its moment, and checks the identity after each. */
async function disturb(world) {
  const { cluster, database, service, drivers, outcome, found, log, plan, items, objects } = world;
  let broken = false;
  const check = async () => {
    // The server may be down for another event.
    const identity = await checkIdentity(cluster, database, NAME).catch(() => undefined);
    if (identity === undefined) return;
    outcome.identities += 1;
    for (const wrong of identity.wrong) if (!broken) found('identity', wrong);
    broken ||= identity.wrong.length > 0;
  };
  let checking = Promise.resolve();
  const lanes = createLanes(world, {
    onDone: (event, applied) => {
      log(
        `${event.number}: ${event.kind} ${event.driver === undefined ? '' : `driver ${event.driver}`}${applied ? '' : ' (not applied)'}`,
      );
      if (applied) outcome.events[event.kind] = (outcome.events[event.kind] ?? 0) + 1;
      else outcome.notApplied += 1;
      checking = checking.then(check);
    },
    onError: (event, error) => found(`event ${event.kind}`, error.stack),
  });
  const waiting = [...plan];
  let slow = false;
  while (waiting.length > 0 || lanes.waiting > 0) {
    const { submissions } = await service.sums();
    while (waiting.length > 0 && submissions / items >= waiting[0].at) lanes.add(waiting.shift());
    if (lanes.waiting > MAX_DUE !== slow) {
      slow = !slow;
      await service.set({ answerMs: slow ? SLOW_ANSWER_MS : 0 });
    }
    if (drivers.every((driver) => !driver.isRunning()) && lanes.waiting === 0 && waiting.length > 0) {
      // All items are unknown or ended: what is left of the plan cannot happen.
      const over = await Promise.race([Promise.all(drivers.map((driver) => driver.ended)), sleep(TICK_MS)]);
      if (over !== undefined) break;
    }
    await sleep(TICK_MS);
  }
  await lanes.idle();
  await checking;
  await service.set({ answerMs: 0 });
  objects?.calm();
  outcome.left = waiting.length;
}

async function checkAll({ cluster, database, service, items, folder, out, objects, outcome, found, runBerth }) {
  const identity = await checkIdentity(cluster, database, NAME);
  for (const wrong of identity.wrong) found('identity at the end', wrong);
  if (identity.counts.planned !== items) found('planned', `${identity.counts.planned} items are planned, not ${items}`);
  if (identity.counts.waiting > 0) found('items wait at the end', String(identity.counts.waiting));
  const read = objects?.read ?? ((name) => readFile(path.join(out, path.basename(name))).catch(() => undefined));
  const { results, wrong, parts } = await readParts(cluster, database, NAME, read);
  for (const each of wrong) found('parts', each);
  const unknown = await readUnknown(cluster, database, NAME);
  outcome.unknown = unknown.length;
  outcome.parts = parts.length;
  const counts = await service.counts();
  for (const each of checkItems({ items, counts, results, unknown })) found('items', each);
  outcome.submissions = (await service.sums()).submissions;
  const cleaned = await runBerth('clean', NAME, '--yes', '--json');
  if (cleaned.code !== 0) found('clean', `exit ${cleaned.code}: ${cleaned.stderr.slice(-800)}`);
  if (objects === undefined) {
    const left = (await readdir(out)).filter(
      (file) => file !== 'berth-batch.json' && !parts.some((part) => path.basename(part) === file),
    );
    if (left.length > 0) found('parts that nobody published are left', left.join(', '));
  }
  const file = path.join(folder, 'export.jsonl');
  const exported = await runBerth('export', NAME, '--out', file, '--ordered');
  if (exported.code !== 0) found('export', `exit ${exported.code}: ${exported.stderr.slice(-800)}`);
  else {
    const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
    const numbers = lines.map((line) => JSON.parse(line).item);
    if (numbers.length !== results.length) found('export', `${numbers.length} lines, ${results.length} results`);
    if (numbers.some((number, at) => at > 0 && number <= numbers[at - 1]))
      found('export', 'the items are not in order');
  }
}
