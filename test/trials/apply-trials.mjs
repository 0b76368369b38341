// Two, three or four applies of the same files at once, on one machine or with a data folder each, against `berth local serve`;
// counts what was made twice and left over: `node test/trials/apply-trials.mjs`, 50 rounds, `-- --rounds N`. Needs `npm run build` first.
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '50' } } });
const program = path.join(import.meta.dirname, '../../bin/berth');
const folder = await mkdtemp(path.join(tmpdir(), 'berth-apply-trials-'));
const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('BERTH_')));
const envOf = (data, more = {}) => ({
  ...own,
  BERTH_CONFIG_DIR: path.join(folder, 'config'),
  BERTH_DATA_DIR: path.join(folder, data),
  ...more,
});

const berth = (argv, env) =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [program, ...argv], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let [out, err] = ['', ''];
    child.stdout.on('data', (text) => (out += text));
    child.stderr.on('data', (text) => (err += text));
    child.on('close', (code) => resolve({ code, out, err }));
  });

const service = spawn(process.execPath, [program, 'local', 'serve', '--port', '0'], {
  env: envOf('service'),
  stdio: ['ignore', 'pipe', 'pipe'],
});
const addresses = {};
for await (const line of createInterface({ input: service.stderr })) {
  const [, name, value] = /(BERTH_[A-Z_]+)=(\S+)/.exec(line) ?? [];
  if (name !== undefined) addresses[name] = value.replace(/^'|'$/g, '');
  if (addresses.BERTH_API_KEY !== undefined) break;
}

const documents = (round) =>
  [
    `{kind: pod, name: pod-${round}, image: 'a/b:1', cpu: {id: cpu-general, vcpuCount: 2}}`,
    `{kind: endpoint, name: endpoint-${round}, image: 'a/b:1', gpu: {pools: [POOL-24G]}}`,
  ].join('\n---\n');

const NOUNS = ['pods', 'endpoints'];
const counts = { applies: 0, waited: 0, removed: 0, failed: 0, missing: 0, doubles: 0 };

async function playRound(round) {
  const file = path.join(folder, `fleet-${round}.yaml`);
  await writeFile(file, documents(round));
  const isOneMachine = round % 2 === 0;
  const applies = Array.from({ length: 2 + (Math.floor(round / 2) % 3) }, async (_, index) => {
    // Two data folders: with more than two applies, some share one.
    const ran = await berth(['apply', file, '--yes'], envOf(isOneMachine ? 'one' : `two-${index % 2}`, addresses));
    counts.applies += 1;
    if (ran.err.includes('Waiting: ')) counts.waited += 1;
    counts.removed += ran.err.match(/Another apply created/g)?.length ?? 0;
    if (ran.code !== 0) {
      counts.failed += 1;
      console.log(`round ${round}: an apply ended ${ran.code}: ${ran.err}`);
    }
  });
  await Promise.all(applies);
  for (const noun of NOUNS) {
    const listed = await berth([noun, 'list', '--json'], envOf('reader', addresses));
    const made = JSON.parse(listed.out).filter(({ name }) => name.endsWith(`-${round}`));
    if (made.length === 0) counts.missing += 1;
    counts.doubles += Math.max(0, made.length - 1);
    for (const { id } of made)
      await berth([noun, noun === 'pods' ? 'terminate' : 'delete', id, '--yes'], envOf('reader', addresses));
  }
}

try {
  for (let round = 0; round < Number(values.rounds); round += 1) await playRound(round);
  console.log(`${values.rounds} rounds: ${JSON.stringify(counts)}`);
  process.exitCode = counts.doubles + counts.failed + counts.missing === 0 ? 0 : 1;
} finally {
  service.kill();
  await rm(folder, { recursive: true, force: true });
}
