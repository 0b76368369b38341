/** Measures whole processes: several commands in turn, so that a busy machine affects all of them. */
import { spawn } from 'node:child_process';

export const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/**
 * The environment of the measured processes. NODE_EXTRA_CA_CERTS is removed: it adds 35 to 45 ms to every start of Node 20 and
 * would hide the cost of the program.
 */
export function environment(extra = {}) {
  return { ...process.env, NODE_EXTRA_CA_CERTS: undefined, NODE_OPTIONS: undefined, ...extra };
}

/** Runs a process. Returns its milliseconds and what it wrote to file descriptor 3. Throws unless it exits with 0. */
export function once(args, env) {
  const started = process.hrtime.bigint();
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
  let errors = '';
  let report = '';
  child.stdout.resume();
  child.stderr.on('data', (data) => (errors += data));
  child.stdio[3].on('data', (data) => (report += data));
  return new Promise((resolve, reject) => {
    child.on('error', reject).on('close', (code) => {
      const milliseconds = Number(process.hrtime.bigint() - started) / 1e6;
      if (code === 0) resolve({ milliseconds, report });
      else reject(new Error(`node ${args.join(' ')} ended ${code}: ${errors.trim()}`));
    });
  });
}

/** Runs every command `rounds` times, in turn, after one warm-up round. Returns for each the list of `pick(result)`. */
export async function interleaved(commands, rounds, env, pick) {
  const results = commands.map(() => []);
  for (let round = -1; round < rounds; round++) {
    for (const [index, args] of commands.entries()) {
      const value = pick(await once(args, env));
      if (round >= 0) results[index].push(value);
    }
  }
  return results;
}

/** Prints a table; the first column is aligned left, the others right. */
export function printTable(title, head, rows) {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column].length)));
  const line = (row) => row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  ');
  console.log([title, '', line(head), ...rows.map(line), ''].join('\n'));
}
