import { execFileSync } from 'node:child_process';
import path from 'node:path';

/** Runs `berth help --json` of the built program. `root` is the folder of the project. */
export function describe(root) {
  const output = execFileSync(process.execPath, [path.join(root, 'bin/berth'), 'help', '--json'], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  return JSON.parse(output);
}

/** The commands of a noun. */
export const commandsOf = ({ commands }, noun) => commands.filter(({ command }) => command.split(' ')[0] === noun);
