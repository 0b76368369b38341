/**
 * What long lists cost: CPU time in each output format, as a ratio to `curl` with `jq .` in one interleaved run, and memory as a
 * multiple of the document. Numbers such as 0.0, which JavaScript writes differently, are rows of their own. A list
 * in pages is compared with the one in one page that ran just before it: medians of the ratios. Needs curl, jq and bash. `BENCH_LIST_PODS` sets the lengths: `10000,50000`.
 */
import { fork, spawnSync } from 'node:child_process';
import { once as event } from 'node:events';
import { fileURLToPath } from 'node:url';
import { commandCosts, median, printTable } from './measure.mjs';

const LENGTHS = (process.env.BENCH_LIST_PODS ?? '10000,50000').split(',').map(Number);
const ROUNDS = 3;
const MEMORY_TARGET = 6;
/** The same list in so many pages, so many requests. */
const PAGES = 50;
const PAGED = ['json', 'jsonl', 'csv', 'table'];

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/** What is measured: the flags, and the highest ratio to `curl` with `jq .`. */
const FORMATS = [
  { name: 'json', flags: '-o json', target: 1.5 },
  { name: 'csv', flags: '-o csv', target: 1.5 },
  { name: 'yaml', flags: '-o yaml', target: 3 },
  { name: 'table', flags: '-o table' },
  { name: "--jq '.[].id'", flags: "--jq '.[].id'" },
];

async function startServer(count, numbers, pages = 1) {
  const child = fork(here('list-server.mjs'), [String(count), numbers, String(pages)]);
  const [{ url, bytes }] = await event(child, 'message');
  return { url, bytes, stop: () => child.disconnect() };
}

async function benchLength(count, berth, env) {
  const servers = {
    whole: await startServer(count, 'whole'),
    exact: await startServer(count, 'exact'),
    paged: await startServer(count, 'whole', PAGES),
  };
  const list = ({ url }, flags) =>
    `BERTH_BASE_URL=${url} '${process.execPath}' --require '${here('peak-memory.cjs')}' '${berth}' pods list ${flags}`;
  const cases = [
    { name: 'curl and jq .', command: `curl -s ${servers.whole.url}/v2/pods | jq .` },
    ...FORMATS.map(({ flags, ...rest }) => ({ ...rest, command: list(servers.whole, flags) })),
    ...FORMATS.slice(0, 4).map(({ name, flags, target }) => ({
      name: `${name}, with numbers such as 0.0`,
      target,
      command: list(servers.exact, flags),
    })),
  ];
  const results = cases.map(() => []);
  const pairs = PAGED.map(() => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, { command }] of cases.entries()) results[index].push(await commandCosts(command, env));
    for (const [index, format] of PAGED.entries())
      pairs[index].push([
        await commandCosts(list(servers.whole, `-o ${format}`), env),
        await commandCosts(list(servers.paged, `-o ${format}`), env),
      ]);
  }
  const base = median(results[0].map(({ milliseconds }) => milliseconds));
  const rows = cases.map(({ name, target }, index) => {
    const milliseconds = median(results[index].map((result) => result.milliseconds));
    const times = (median(results[index].map(({ mebibytes }) => mebibytes)) * 1024 * 1024) / servers.whole.bytes;
    const failed = results[index].some(({ code }) => code !== 0);
    const isMet = (target === undefined || milliseconds / base <= target) && (count < 50_000 || times <= MEMORY_TARGET);
    return [
      name,
      milliseconds.toFixed(0),
      (milliseconds / base).toFixed(2),
      target?.toFixed(1) ?? '',
      index === 0 ? '' : times.toFixed(1),
      index === 0 || count < 50_000 ? '' : String(MEMORY_TARGET),
      failed ? 'FAILED' : index === 0 ? '' : isMet ? 'met' : 'NOT MET',
    ];
  });
  for (const server of Object.values(servers)) server.stop();
  const megabytes = (servers.whole.bytes / 1e6).toFixed(1);
  const title = `pods list, ${count} pods, ${megabytes} MB: CPU, medians of ${ROUNDS} in turn, and memory as a multiple of the document`;
  printTable(title, ['', 'ms', 'ratio', 'target', 'memory', 'target', ''], rows);
  printTable(
    `${PAGES} pages of ${count} pods against one: medians of the ratios of ${ROUNDS} pairs`,
    ['', 'requests', 'CPU', 'memory', 'target', ''],
    PAGED.map((format, index) => pagesRow(format, pairs[index])),
  );
}

function pagesRow(format, pairs) {
  const ratio = (measure) => median(pairs.map(([one, many]) => many[measure] / one[measure]));
  const memory = ratio('mebibytes');
  const failed = pairs.flat().some(({ code }) => code !== 0);
  const verdict = failed ? 'FAILED' : memory <= 1 ? 'met' : 'NOT MET';
  return [`-o ${format}`, String(PAGES), ratio('milliseconds').toFixed(2), memory.toFixed(2), '1.0', verdict];
}

/** `berth` is the path of the launcher. */
export async function benchListCosts({ berth, env }) {
  if (['bash', 'curl', 'jq'].some((name) => spawnSync(name, ['--version']).error !== undefined)) {
    console.log('The costs of long lists are not measured: bash, curl or jq is missing.\n');
    return;
  }
  for (const count of LENGTHS) await benchLength(count, berth, { ...env, BERTH_API_KEY: 'bench' });
}
