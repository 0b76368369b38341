import { expect } from 'vitest';
import { exitsOf } from '../../../src/cli/model/command.ts';
import { EXIT_CODES } from '../../../src/core/exit-codes.ts';
import { parseCommandLine } from '../../../src/cli/parse/command-line.ts';
import { FLAGS, NOUNS } from '../../../src/registry.ts';

const COMMON: readonly number[] = EXIT_CODES.flatMap((row) => ('own' in row ? [] : [row.code]));

/** Checks that a command may end with an exit code: a common one, or one that its help names. */
export async function checkExit(argv: readonly string[], code: number): Promise<void> {
  if (COMMON.includes(code)) return;
  const parsed = await parseCommandLine(argv, { nouns: NOUNS, flags: FLAGS });
  // An alias of the user is no command that this program can read.
  if ('failure' in parsed || parsed.target?.kind !== 'command' || parsed.target.exitsAsProgram) return;
  expect(exitsOf(parsed.target), `exit codes of berth ${parsed.path.join(' ')}`).toContain(code);
}
