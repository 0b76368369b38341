/**
 * The books of a batch, measured: submissions per second of the file store and of PostgreSQL with 1, 2 and 4 drivers against
 * the bare server; statements and bytes per item; the size of the tables during and after a batch; memory per driver.
 * `npm run bench -- stores` runs it alone. BENCH_STORE_ITEMS sets the length of the batch whose tables are measured, BENCH_FIGURES a file for the figures.
 */
import { spawn } from 'node:child_process';
import { once as event } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { createCluster, findPostgres } from '../test/support/postgres/cluster.mjs';
import { startFixed } from './fixed.mjs';
import { median, printTable } from './measure.mjs';

const CONCURRENCY = 32;
const ROUNDS = 3;
const SECONDS = 4;
const ITEMS = Number(process.env.BENCH_STORE_THROUGHPUT_ITEMS ?? 40_000);
const LONG = Number(process.env.BENCH_STORE_ITEMS ?? 1_000_000);
const DRIVERS = [1, 2, 4];
const SAMPLE_MS = 1000;
const ENDPOINT = 'bench';

const usage = fileURLToPath(new URL('usage.cjs', import.meta.url));
const fast = ['--rate', '1000000', '--concurrency', String(CONCURRENCY), '--in-flight', '1000000'];

async function writeItems(file, count) {
  const out = createWriteStream(file);
  for (let item = 1; item <= count; item += 1) if (!out.write(`{"n":${item}}\n`)) await event(out, 'drain');
  await event(out.end(), 'close');
}

/** Runs a command of berth. Returns its exit code, its last words and its peak memory in MiB. */
async function runBerth(berth, folder, env, args) {
  const command = ['--require', usage, berth, 'jobs', 'batch', ...args];
  const child = spawn(process.execPath, command, { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe', 'pipe'] });
  let [report, said] = ['', ''];
  child.stdio[3].on('data', (data) => (report += data));
  child.stderr.on('data', (data) => (said = `${said}${data}`.slice(-2000)));
  const [code] = await event(child, 'close');
  if (code !== 0) throw new Error(`berth jobs batch ${args.join(' ')} ended ${code}: ${said}`);
  return JSON.parse(report).mebibytes;
}

/** Runs one batch with books in PostgreSQL by several drivers. Returns the peak memory of each. */
async function runShared({ berth, folder, env, cluster, database, name, input, drivers }) {
  const store = ['--store', `postgres://postgres@127.0.0.1:${cluster.port}/${database}`];
  const begin = runBerth(berth, folder, env, [
    ...['run', ENDPOINT, '--input', input, '--out', path.join(folder, name), '--name', name],
    ...store,
    ...fast,
  ]);
  const isPlanned = () =>
    cluster.query(`SELECT 1 FROM berth.batches WHERE name = '${name}'`, database).then(
      (answer) => answer === '1',
      () => false,
    );
  let ended = false;
  const settled = begin.finally(() => (ended = true));
  while (drivers > 1 && !ended && !(await isPlanned())) await new Promise((resolve) => setTimeout(resolve, 50));
  const others = Array.from({ length: drivers - 1 }, () =>
    runBerth(berth, folder, env, ['work', name, ...store, ...fast]),
  );
  return await Promise.all([settled, ...others]);
}

async function benchThroughput(world) {
  const { berth, folder, cluster } = world;
  const server = await startFixed('done');
  const env = { ...world.env, BERTH_BASE_URL: server.url, BERTH_QUEUE_URL: server.url };
  const input = path.join(folder, 'some.jsonl');
  await writeItems(input, ITEMS);
  const cases = [
    { name: 'bare server', rates: [] },
    { name: 'file', rates: [] },
    ...DRIVERS.map((drivers) => ({ name: `PostgreSQL, drivers: ${drivers}`, drivers, rates: [] })),
  ];
  for (let round = 0; round < ROUNDS; round += 1)
    for (const each of cases) {
      await server.ask();
      const name = `rates-${round}-${each.drivers ?? 0}`;
      if (each.name === 'bare server') {
        const { requests } = await autocannon({
          url: `${server.url}/v2/${ENDPOINT}/run`,
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: 'Bearer bench' },
          body: '{"input":{"n":100000}}',
          connections: CONCURRENCY,
          duration: SECONDS,
        });
        each.rates.push(requests.average);
        continue;
      }
      if (each.drivers === undefined)
        await runBerth(berth, folder, env, [
          'run',
          ENDPOINT,
          '--input',
          input,
          '--out',
          path.join(folder, name),
          ...fast,
        ]);
      else
        await runShared({ berth, folder, env, cluster, database: world.database, name, input, drivers: each.drivers });
      const { submissions, seconds } = await server.ask();
      each.rates.push(submissions / seconds);
    }
  server.stop();
  const [bare] = cases;
  const stores = cases.map(({ name, rates }) => ({
    name,
    perSecond: median(rates),
    ratio: median(rates.map((rate, round) => rate / bare.rates[round])),
  }));
  printTable(
    `Submissions a second with every job polled to its end, ${ITEMS} items, medians of ${ROUNDS} in turn`,
    ['', 'a second', 'ratio'],
    stores.map(({ name, perSecond, ratio }) => [name, perSecond.toFixed(0), ratio.toFixed(2)]),
  );
  return stores;
}

const SIZES = `SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class c
  JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'berth' AND c.relkind IN ('r', 'm')`;
const STATEMENTS = `SELECT sum(calls) FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid WHERE d.datname = current_database()`;

async function benchTables(world) {
  const { berth, folder, cluster } = world;
  const server = await startFixed('done');
  const env = { ...world.env, BERTH_BASE_URL: server.url, BERTH_QUEUE_URL: server.url };
  const database = await cluster.createDatabase();
  const input = path.join(folder, 'long.jsonl');
  await writeItems(input, LONG);
  const number = async (sql) => Number(await cluster.query(sql, database));
  const position = () => number(`SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')`);
  await cluster.query('CREATE EXTENSION pg_stat_statements', database);
  await cluster.query('SELECT pg_stat_statements_reset()', database);
  const logBefore = await position();
  let largestBytes = 0;
  let sampled = 0;
  let sampling = true;
  const sampler = (async () => {
    while (sampling) {
      largestBytes = Math.max(largestBytes, await number(SIZES));
      sampled += 1;
      await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));
    }
  })();
  const started = performance.now();
  const peaks = await runShared({ berth, folder, env, cluster, database, name: 'long', input, drivers: 2 });
  const seconds = (performance.now() - started) / 1000;
  sampling = false;
  await sampler;
  // The statements of the measurement are not those of the batch.
  const statements = (await number(STATEMENTS)) - sampled;
  const logBytes = (await position()) - logBefore;
  await cluster.query('VACUUM', database);
  const postgres = {
    items: LONG,
    statementsPerItem: statements / LONG,
    logBytesPerItem: logBytes / LONG,
    largestBytes,
    bytesAfter: await number(SIZES),
  };
  server.stop();
  printTable(
    `A batch of ${LONG} items with books in PostgreSQL and two drivers, ${(LONG / seconds).toFixed(0)} items a second`,
    ['', 'measured'],
    [
      ['statements per item', postgres.statementsPerItem.toFixed(3)],
      ['bytes of write-ahead log per item', postgres.logBytesPerItem.toFixed(0)],
      ['largest size of the tables, MB', (postgres.largestBytes / 1e6).toFixed(1)],
      ['size of the tables afterwards, MB', (postgres.bytesAfter / 1e6).toFixed(1)],
      ['largest memory of a driver, MiB', Math.max(...peaks).toFixed(0)],
    ],
  );
  return { postgres, memory: { driverMebibytes: Math.max(...peaks) } };
}

/** Prints a note and does nothing where PostgreSQL is not installed. */
export async function benchStores({ berth, home, env: environmentOfBerth }) {
  if (findPostgres() === undefined) {
    console.log('PostgreSQL 15 or newer is not installed: the stores are not measured\n');
    return;
  }
  const folder = path.join(home, 'stores');
  await mkdir(folder);
  const settings = { shared_preload_libraries: 'pg_stat_statements', 'pg_stat_statements.max': 1000 };
  const cluster = await createCluster({ durable: true, settings });
  try {
    const env = { ...environmentOfBerth, BERTH_API_KEY: 'bench', PGPASSWORD: cluster.password };
    const world = { berth, folder, env, cluster, database: await cluster.createDatabase() };
    const stores = await benchThroughput(world);
    const figures = { stores, ...(await benchTables(world)) };
    const machine = `${cpus().length} cores shared with other work, PostgreSQL ${cluster.version}, Node ${process.versions.node}`;
    const date = new Date().toISOString().slice(0, 10);
    if (process.env.BENCH_FIGURES !== undefined)
      await writeFile(process.env.BENCH_FIGURES, `${JSON.stringify({ date, machine, ...figures }, undefined, 2)}\n`);
  } finally {
    await cluster.remove();
  }
}
