/**
 * The start-up part of `npm run bench`: whole processes as ratios to `node -e 0` in one interleaved run, on each Node of
 * BENCH_NODES; their CPU time and memory; and the time to load each package. BENCH_BEFORE, the launcher of another build, is
 * measured in the same run.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { importCosts } from './imports.mjs';
import { interleaved, load, median, pairedRatio, printTable, verdict } from './measure.mjs';
import { nodes } from './nodes.mjs';
import { samplePod } from './sample-pod.mjs';
import { serve } from './serve.mjs';
import { startCases } from './start-cases.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 31);
const USAGE_ROUNDS = 7;
const IMPORT_ROUNDS = 7;
const MEMORY_TARGET_MIB = 60;

const usage = fileURLToPath(new URL('usage.cjs', import.meta.url));

/** The same command with the launcher that BENCH_BEFORE names: with data of its own, and a code cache, which would be that of the other. */
const earlier = (command, berth) => ({
  ...command,
  env: {
    ...command.env,
    BERTH_DATA_DIR: `${command.env.BERTH_DATA_DIR}-before`,
    XDG_CACHE_HOME: `${command.env.XDG_CACHE_HOME}-before`,
  },
  args: command.args.map((word) => (word === berth ? process.env.BENCH_BEFORE : word)),
});

/** The commands of BENCH_BEFORE, in the order of the cases; undefined for one that fails, because that build does not have it. */
function earlierCommands(program, cases, berth) {
  if (process.env.BENCH_BEFORE === undefined) return [];
  const works = (command) => {
    const { status } = spawnSync(program, command.args, { env: command.env, stdio: 'ignore' });
    return status === 0 ? command : undefined;
  };
  return cases.map((each) => works(earlier(each, berth)));
}

async function benchNode({ program, version }, cases, berth) {
  const before = load();
  const compared = earlierCommands(program, cases, berth);
  const measured = [...cases, ...compared.filter((each) => each !== undefined)];
  const commands = measured.map(({ args, env, before }) => ({ program, args, env, before }));
  const times = await interleaved(commands, ROUNDS, ({ milliseconds }) => milliseconds);
  const watched = commands.map((command) => ({
    ...command,
    args: ['--require', usage, ...command.args],
    reports: true,
  }));
  const usages = await interleaved(watched, USAGE_ROUNDS, ({ report }) => JSON.parse(report));
  const cpu = usages.map((runs) => runs.map(({ cpuMilliseconds }) => cpuMilliseconds));
  const ratioBefore = (command) =>
    command === undefined ? '' : pairedRatio(times[measured.indexOf(command)], times[0]).toFixed(2);
  const rows = cases.map(({ name, target = () => undefined }, index) => {
    const ratio = pairedRatio(times[index], times[0]);
    const most = target(version);
    const mebibytes = median(usages[index].map((run) => run.mebibytes));
    return [
      name,
      ...(compared.length > 0 ? [ratioBefore(compared[index])] : []),
      median(times[index]).toFixed(1),
      ratio.toFixed(2),
      most?.toFixed(1) ?? '',
      most === undefined ? '' : verdict(ratio <= most),
      pairedRatio(cpu[index], cpu[0]).toFixed(2),
      mebibytes.toFixed(1),
      most === undefined ? '' : verdict(mebibytes <= MEMORY_TARGET_MIB),
    ];
  });
  const title = `Node ${version}: start to end of the whole process, medians of ${ROUNDS} in turn, ${before} to ${load()}`;
  const head = compared.length > 0 ? ['', 'before'] : [''];
  printTable(title, [...head, 'ms', 'ratio', 'target', '', 'CPU ratio', 'MiB', `of ${MEMORY_TARGET_MIB}`], rows);
  return median(times[0]);
}

async function benchImports(env, base) {
  const rows = (await importCosts(IMPORT_ROUNDS, env)).map(({ name, milliseconds }) => [
    name,
    milliseconds.toFixed(1),
    `${((100 * milliseconds) / base).toFixed(0)} %`,
  ]);
  const title = 'Loading one package, bundled alone and without a code cache, and its share of `node -e 0`';
  printTable(title, ['', 'ms', 'share'], rows);
}

export async function benchStart({ berth, home, env }) {
  const service = await serve(samplePod, home);
  try {
    const at = { ...env, BERTH_BASE_URL: service.http, BERTH_QUEUE_URL: service.http, BERTH_API_KEY: 'bench' };
    const cases = await startCases(berth, service, home, at);
    let base;
    for (const node of nodes()) base = await benchNode(node, cases, berth);
    await benchImports(at, base);
  } finally {
    service.stop();
  }
}
