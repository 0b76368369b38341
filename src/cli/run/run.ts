import { EXIT, type ExitCode } from '../../core/exit-codes.ts';
import { Failure, usage } from '../../core/failure.ts';
import type { Context } from '../../core/context.ts';
import { encodeJson, type Json } from '../../core/json.ts';
import { isJsonFormat } from '../../output/formats/format-table.ts';
import { render } from '../../output/render.ts';
import type { OutputOptions, Result, View } from '../../output/view.ts';
import { completeValues } from './prompt-missing.ts';
import type { Command, Values } from '../command.ts';
import { createCommandContext, type RunState } from './create-context.ts';
import type { CommandContext } from '../context.ts';
import { DryRun } from './dry-run.ts';
import { commonOptions } from '../parse/common-options.ts';
import { commandLine } from '../words.ts';
import { createWriteRecord, withUnfilteredAnswer, withWriteHint, type WriteRecord } from './write-record.ts';

/**
 * Runs a command: completes its values, asks for confirmation if needed, executes it and prints its result. Returns the
 * exit code; fails as the command does.
 */
export async function runCommand(
  context: Context,
  command: Command,
  given: Values,
  output: OutputOptions,
  path: readonly string[],
): Promise<ExitCode> {
  const state: RunState = { resumeCommand: undefined, writes: createWriteRecord() };
  const ctx = createCommandContext(
    context,
    { output, dryRun: given['dryRun'] === true, yes: given['yes'] === true },
    state,
  );
  try {
    await checkFilter(output, ctx);
    const values = await completeValues(ctx, command, { ...command.options, ...commonOptions(command) }, given);
    await confirm(ctx, command, values, path);
    if (command.watch !== undefined && values['watch'] === true) {
      const { watch } = await import('./watch.ts');
      return await watch(ctx, { ...command, watch: command.watch }, values);
    }
    return await print(ctx, await command.run(ctx, values), state.writes);
  } catch (error) {
    if (error instanceof DryRun) return await print(ctx, error.result(), state.writes);
    throw withWriteHint(withResumeHint(error, state.resumeCommand), state.writes);
  }
}

async function print(ctx: CommandContext, result: Result, writes: WriteRecord): Promise<ExitCode> {
  try {
    await render(result, ctx.output, ctx);
  } catch (error) {
    throw await withUnfilteredAnswer(error, result, writes);
  }
  // A failure that is printed as JSON must be the only output on stderr.
  const asJson = isJsonFormat(ctx.output.format);
  if (result.failure === undefined || !asJson) for (const note of result.notes ?? []) await ctx.tell(note);
  if (result.failure !== undefined) throw result.failure;
  return result.exit ?? EXIT.done;
}

/** Compiles the filter before any request is sent, also for a list to pick from. Fails with usage (2). */
async function checkFilter({ jq }: OutputOptions, { blocking }: Context): Promise<void> {
  if (jq === undefined) return;
  const { checkJq } = await import('../../output/formats/jq.ts');
  await checkJq(jq, blocking);
}

async function confirm(ctx: CommandContext, command: Command, values: Values, path: readonly string[]): Promise<void> {
  if (command.confirm === undefined || ctx.yes || ctx.dryRun || !command.confirmWhen(values)) return;
  // Before `command.confirm` sends a request: a script without --yes must send nothing.
  if (!ctx.terminal.canAsk)
    throw usage(
      `\`${lineOf(command, values, path)}\` asks for confirmation, and there is no terminal to ask on`,
      'Add --yes to confirm.',
    );
  await ctx.tell(await command.confirm(ctx, values));
  if (!(await ctx.prompts.confirm('Continue?', false)))
    throw new Failure({ code: 'declined', exit: EXIT.usage, message: 'stopped: nothing was changed' });
}

/** The command line without its flags: `berth queue purge demo`. */
const lineOf = (command: Command, values: Values, path: readonly string[]): string =>
  commandLine(
    ...path,
    ...Object.keys(command.args).flatMap((key) => (values[key] ?? []) as string | readonly string[]),
  );

/** Adds the command line that resumes the wait to an interrupt or to a temporary failure. */
function withResumeHint(error: unknown, resumeCommand: string | undefined): unknown {
  if (!(error instanceof Failure) || resumeCommand === undefined) return error;
  const line = `Go on with: ${resumeCommand}`;
  switch (error.exit) {
    case EXIT.interrupted:
    case EXIT.terminated:
      return error.with({ hint: `Nothing was cancelled. ${line}` });
    case EXIT.unavailable:
    case EXIT.rateLimited:
      return error.with({ hint: [error.hint, line].filter(Boolean).join('\n') });
    default:
      return error;
  }
}

/** The view of a document without columns of its own: it shows all members. */
export const plainView = (noun: string): View => ({
  noun: [noun, `${noun}s`],
  id: (row: Json) => encodeJson(row),
  columns: [],
});
