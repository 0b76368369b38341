/** Measures whole processes: several commands in turn, so that a busy machine affects all of them. */
import { spawn } from 'node:child_process';
import { once as event } from 'node:events';
import { loadavg } from 'node:os';

export const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** The median of the ratios of values that were measured in the same round. */
export const pairedRatio = (values, base) => median(values.map((value, round) => value / base[round]));

export const verdict = (isMet) => (isMet ? 'met' : 'NOT MET');

/** The load of the machine, to be printed beside figures. */
export const load = () => `load ${loadavg()[0].toFixed(1)}`;

/**
 * The environment of the measured processes. NODE_EXTRA_CA_CERTS is removed: it adds 35 to 45 ms to every start of Node 20 and
 * would hide the cost of the program.
 */
export function environment(extra = {}) {
  return { ...process.env, NODE_EXTRA_CA_CERTS: undefined, NODE_OPTIONS: undefined, ...extra };
}

/**
 * Runs a process, with a pipe as its output and another as file descriptor 3 when `reports` is true. Returns its milliseconds,
 * and what it wrote to file descriptor 3. Throws unless it exits with 0; its errors are on stderr.
 */
export function once({ program = process.execPath, args, env, reports = false }) {
  const started = process.hrtime.bigint();
  const stdio = ['ignore', 'pipe', 'inherit', ...(reports ? ['pipe'] : [])];
  const child = spawn(program, args, { env, stdio });
  let report = '';
  child.stdout.resume();
  child.stdio[3]?.on('data', (data) => (report += data));
  return new Promise((resolve, reject) => {
    child.on('error', reject).on('close', (code) => {
      const milliseconds = Number(process.hrtime.bigint() - started) / 1e6;
      if (code === 0) resolve({ milliseconds, report });
      else reject(new Error(`${program} ${args.join(' ')} ended ${code}`));
    });
  });
}

/**
 * Runs every command `rounds` times, in turn, after two warm-up rounds: the first writes the code cache. A command is the
 * argument of `once`, with `before`, which is called before each run. Returns for each command the list of `pick(result)`.
 */
export async function interleaved(commands, rounds, pick) {
  const results = commands.map(() => []);
  for (let round = -2; round < rounds; round++) {
    for (const [index, { before, ...command }] of commands.entries()) {
      await before?.();
      const value = pick(await once(command));
      if (round >= 0) results[index].push(value);
    }
  }
  return results;
}

/**
 * Runs a command line of bash. Returns its exit code, the CPU milliseconds of all its processes, and the peak MiB that
 * `peak-memory.cjs` reports.
 */
export async function commandCosts(command, env) {
  const timed = `TIMEFORMAT='cpu %U %S'; time { ${command} > /dev/null; }`;
  const child = spawn('bash', ['-c', timed], { env, stdio: ['ignore', 'ignore', 'pipe', 'pipe'] });
  let [errors, report] = ['', ''];
  child.stderr.on('data', (data) => (errors += data));
  child.stdio[3].on('data', (data) => (report += data));
  const [code] = await event(child, 'close');
  const [, user, system] = /cpu ([\d.]+) ([\d.]+)\s*$/.exec(errors) ?? [];
  return { code, milliseconds: 1000 * (Number(user) + Number(system)), mebibytes: Number(report) };
}

/** Prints a table; the first column is aligned left, the others right. */
export function printTable(title, head, rows) {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column].length)));
  const line = (row) => row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  ');
  console.log([title, '', line(head), ...rows.map(line), ''].join('\n'));
}
