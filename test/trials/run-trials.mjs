// `berth run` against local services of its own, with a signal, a cut connection or a fault at a random moment of each; then looks
// for pods that are left, and compares the output: `node test/trials/run-trials.mjs`, 200 rounds, `-- --rounds N --seed S`. Needs a build and ssh.
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '200' }, seed: { type: 'string', default: String(Date.now() % 1e9) } },
});
const program = path.join(import.meta.dirname, '../../bin/berth');
const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('BERTH_')));
const LINES = 60;
const EXPECTED = Array.from({ length: LINES }, (_, at) => `line ${at}\n`).join('');
const COMMAND = `i=0; while [ $i -lt ${LINES} ]; do echo "line $i"; i=$((i + 1)); sleep 0.02; done; echo result >out.txt; exit 3`;
const SIGNALS = { SIGKILL: null, SIGINT: 130, SIGTERM: 143, SIGHUP: 143 };
const FAULTS = [
  'rate-limit --count 3',
  'server-error --count 3',
  'lost-answer --count 1',
  "lost-answer --count 1 --match 'POST /v2/pods'",
  "lost-answer --count 1 --match 'DELETE /v2/pods/*'",
];
const KINDS = [...Object.keys(SIGNALS), 'cut', 'full', ...FAULTS];
/** Within which a run does everything, and within which whatever it left must be gone. Milliseconds. */
const SPAN_MS = 6000;
const GONE_MS = 90_000;

let state = Number(values.seed);
/** A number from 0 below 1, of mulberry32. */
const random = () => {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
};

function start(argv, env, cwd) {
  const child = spawn(process.execPath, [program, ...argv], { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { out: '', err: '' };
  child.stdout.on('data', (text) => (said.out += text));
  child.stderr.on('data', (text) => (said.err += text));
  return { child, said, ended: new Promise((resolve) => child.on('close', (code) => resolve({ code, ...said }))) };
}

/** A service whose clock goes twenty times as fast for a few seconds, so that pods start at once. */
async function serve(folder, env) {
  const argv = [program, 'local', 'serve', '--port', '0'];
  const child = spawn(process.execPath, argv, { env, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const addresses = {};
  for await (const line of createInterface({ input: child.stderr })) {
    const [, name, value] = /(BERTH_[A-Z_]+)=(\S+)/.exec(line) ?? [];
    if (name !== undefined) addresses[name] = value.replace(/^'|'$/g, '');
    if (addresses.BERTH_API_KEY !== undefined) break;
  }
  child.stderr.resume();
  const headers = { authorization: `Bearer ${addresses.BERTH_API_KEY}`, 'content-type': 'application/json' };
  const advance = { method: 'POST', headers, body: '{"advanceMs":10000}' };
  for (let at = 1; at < 10; at++)
    setTimeout(() => fetch(`${addresses.BERTH_BASE_URL}/local/clock`, advance).catch(() => undefined), 400 * at);
  return { child, env: { ...env, ...addresses } };
}

/** Plays a round. Returns what is wrong in it. */
async function play(round, kind, atMs) {
  const folder = await mkdtemp(path.join(tmpdir(), 'berth-run-trial-'));
  const base = { ...own, BERTH_CONFIG_DIR: folder, BERTH_DATA_DIR: path.join(folder, 'data') };
  const service = await serve(folder, base);
  try {
    await mkdir(path.join(folder, 'bin'));
    const cut = `#!/bin/sh\n[ ! -e '${folder}/cut' ] || { rm '${folder}/cut'; timeout 0.2 /usr/bin/ssh "$@"; c=$?; [ $c != 124 ] || c=255; exit $c; }\nexec /usr/bin/ssh "$@"\n`;
    await writeFile(path.join(folder, 'bin/ssh'), cut, { mode: 0o755 });
    const env = { ...service.env, PATH: `${path.join(folder, 'bin')}:${own.PATH}` };
    const receipt = kind === 'full' ? '/dev/full' : 'receipt.json';
    const argv = 'run --gpu GPU-24G --image a/b --out out.txt --receipt'.split(' ');
    const { child, ended } = start([...argv, receipt, '--', 'sh', '-c', COMMAND], env, folder);
    await pause(atMs);
    if (kind in SIGNALS) child.kill(kind);
    else if (kind === 'cut') await writeFile(path.join(folder, 'cut'), '');
    else if (kind !== 'full')
      await start(['local', 'fault', 'add', ...kind.replaceAll("'", '').split(/ (?!\/)/)], env, folder).ended;
    const { code, out, err } = await ended;
    const wrong = [];
    const complete = out === EXPECTED;
    if (!EXPECTED.startsWith(out)) wrong.push(`output of ${out.length} bytes is no part of what was printed`);
    if (code === 3 && !complete) wrong.push('3 with a part of the output');
    if (code === 3 && (await readFile(path.join(folder, 'out.txt'), 'utf8').catch(() => '')) !== 'result\n')
      wrong.push('3 without the result');
    // Null: before berth listened to signals.
    const codes = kind in SIGNALS ? [3, null, SIGNALS[kind]] : [3, 7, 8, 14];
    if (!codes.includes(code)) wrong.push(`exit code ${code}`);
    for (const until = Date.now() + GONE_MS; ; await pause(500)) {
      const { out: left } = await start(['pods', 'list', '--match', 'run-*', '-o', 'id'], env, folder).ended;
      const unnamed = left.split('\n').filter((id) => id !== '' && !(code === 8 && err.includes(id)));
      if (unnamed.length === 0) break;
      if (Date.now() > until) {
        wrong.push(`left: ${unnamed.join(', ')}`);
        break;
      }
    }
    if (wrong.length > 0) console.log(`round ${round}, ${kind} at ${atMs} ms: ${wrong.join('; ')}\n${err}`);
    return { code, wrong, complete };
  } finally {
    service.child.kill();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

console.log(`note: seed ${values.seed}`);
const counts = { rounds: 0, complete: 0, wrong: 0, codes: {} };
const rounds = Array.from({ length: Number(values.rounds) }, (_, round) => [
  round,
  KINDS[round % KINDS.length],
  Math.floor(random() * SPAN_MS),
]);
const lane = async () => {
  for (let next = rounds.shift(); next !== undefined; next = rounds.shift()) {
    const { code, wrong, complete } = await play(...next);
    counts.rounds += 1;
    counts.wrong += wrong.length;
    counts.complete += complete ? 1 : 0;
    counts.codes[code] = (counts.codes[code] ?? 0) + 1;
  }
};
await Promise.all([lane(), lane()]);
console.log(JSON.stringify(counts));
process.exitCode = counts.wrong === 0 ? 0 : 1;
