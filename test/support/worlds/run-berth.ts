import { runCli } from '../../../src/main.ts';
import { checkExit } from './check-exit.ts';
import { checkPrintedCommands } from './check-printed-commands.ts';
import { createTestWorld, type TestWorld, type TestWorldOptions } from './test-world.ts';

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly world: TestWorld;
}

/** Runs berth in this process, in a new world. */
export async function berth(argv: readonly string[], options: TestWorldOptions = {}): Promise<Ran> {
  return await berthIn(createTestWorld(options), argv);
}

/**
 * Runs berth in an existing world. `out` and `err` hold only the output of this run. What it prints with `--json` is
 * checked against the schemas that `berth schema` prints: every error, every output of the local service,
 * and every document of berth's own. Every command that it prints is read, and must be for the account of the run.
 * It must end with an exit code that its command declares.
 */
export async function berthIn(world: TestWorld, argv: readonly string[]): Promise<Ran> {
  const [outBefore, errBefore] = [world.out().length, world.err().length];
  const code = await runCli(argv, world);
  const ran = { code, out: world.out().slice(outBefore), err: world.err().slice(errBefore), world };
  await checkPrintedCommands(argv, ran);
  await checkExit(argv, code);
  if (argv.includes('--json'))
    await (await import('../schemas/check-run.ts')).checkAgainstSchemas(argv, ran, world.env);
  return ran;
}
