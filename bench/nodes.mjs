/** The versions of Node that are measured: BENCH_NODES has paths or versions, separated by commas; this Node by default. */
import { execFileSync } from 'node:child_process';

/** Returns the version and the program of each Node. A version is installed with npm, into its cache. */
export const nodes = () =>
  (process.env.BENCH_NODES ?? process.execPath).split(',').map((named) => {
    const program = named.includes('/') ? named : installed(named);
    return { program, version: output(program, ['-p', 'process.versions.node']) };
  });

const installed = (version) =>
  output('npm', ['exec', '--yes', `--package=node@${version}`, '--', 'node', '-p', 'process.execPath']);

const output = (program, args) => execFileSync(program, args, { encoding: 'utf8' }).trim();
