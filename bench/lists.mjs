/**
 * The part of `npm run bench` for long lists: every format of `pods list` with 10,000 pods, as a ratio to `curl` and `jq .` on
 * the same list where both programs are installed, otherwise to `node -e 0`.
 */
import { spawnSync } from 'node:child_process';
import { interleaved, load, median, pairedRatio, printTable, verdict } from './measure.mjs';
import { nodes } from './nodes.mjs';
import { samplePod } from './sample-pod.mjs';
import { serve } from './serve.mjs';

const PODS = Number(process.env.BENCH_PODS ?? 10_000);
const ROUNDS = 5;

/** The options of each row, with the most that it may take as a ratio to `curl` and `jq`. */
const CASES = [
  { options: ['--json'], target: 1.5 },
  { options: ['--jq', '.[].id'] },
  { options: ['-o', 'csv'], target: 1.5 },
  { options: ['-o', 'yaml'], target: 3 },
  { options: ['-o', 'table'] },
];

const hasProgram = (name) => spawnSync(name, ['--version']).status === 0;

const pods = () =>
  Array.from({ length: PODS }, (_, index) => ({ ...samplePod, id: `pod-${index}`, name: `sample-${index}` }));

async function benchNode({ program, version }, { berth, env, url }) {
  const before = load();
  const hasTools = hasProgram('curl') && hasProgram('jq');
  const base = hasTools
    ? { program: 'sh', args: ['-c', `curl -s '${url}/v2/pods' | jq .`], env }
    : { program, args: ['-e', '0'], env };
  const commands = CASES.map(({ options }) => ({ program, args: [berth, 'pods', 'list', ...options], env }));
  const times = await interleaved([base, ...commands], ROUNDS, ({ milliseconds }) => milliseconds);
  const rows = CASES.map(({ options, target }, index) => {
    const ratio = pairedRatio(times[index + 1], times[0]);
    const hasTarget = hasTools && target !== undefined;
    return [
      `berth pods list ${options.join(' ')}`,
      median(times[index + 1]).toFixed(0),
      ratio.toFixed(2),
      hasTarget ? target.toFixed(1) : '',
      hasTarget ? verdict(ratio <= target) : '',
    ];
  });
  const title = `Node ${version}: a list of ${PODS} pods, medians of ${ROUNDS} in turn, ${before} to ${load()}`;
  const name = hasTools ? 'curl | jq .' : 'node -e 0';
  printTable(title, ['', 'ms', 'ratio', 'target', ''], [[name, median(times[0]).toFixed(0), '1.00', '', ''], ...rows]);
}

export async function benchLists({ berth, home, env }) {
  const service = await serve({ pods: pods() }, home);
  try {
    const at = { ...env, BERTH_BASE_URL: service.http, BERTH_API_KEY: 'bench' };
    for (const node of nodes()) await benchNode(node, { berth, env: at, url: service.http });
  } finally {
    service.stop();
  }
}
