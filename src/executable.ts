import { writeSync } from 'node:fs';
import { version } from '../package.json';

// The entry of the single executable: what bin/berth is for the package. --version loads nothing else.

const args = process.argv.slice(2);
if (args.length === 1 && ['--version', '-V', 'version'].includes(args[0] ?? '')) print(version);
else if (args.length === 2 && args.includes('--version') && args.includes('--json')) print(JSON.stringify({ version }));
else await start();

/** Prints a line. Opening `process.stdout` would take longer than all other work of --version. */
function print(line: string): void {
  const text = `${line}\n`;
  try {
    writeSync(1, text);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EAGAIN') process.stdout.write(text);
    else if (code !== 'EPIPE') process.exitCode = 14;
  }
}

async function start(): Promise<void> {
  const [{ main }, { executable }] = await Promise.all([
    import('./main.ts'),
    import('./host/executable/installation.ts'),
  ]);
  await main(executable);
}
