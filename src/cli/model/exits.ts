import { EXIT, EXIT_CODES, type ExitCode } from '../../core/exit-codes.ts';
import type { Command } from './command.ts';

/** Exit codes that every command can end with. */
export const COMMON_EXITS: readonly ExitCode[] = EXIT_CODES.flatMap((row) => ('own' in row ? [] : [row.code]));

/**
 * The exit codes that a command can end with beyond the common ones, in order: 8 of a write, 9 of a wait with a time limit,
 * and those that it declares.
 */
export const exitsOf = ({ writes, options, exits }: Command): readonly ExitCode[] =>
  EXIT_CODES.map(({ code }) => code).filter(
    (code) =>
      (code === EXIT.unknown && writes) ||
      (code === EXIT.waitEnded && 'waitTimeout' in options) ||
      exits.includes(code),
  );
