import { EXIT, type ExitCode } from '../../core/exit-codes.ts';
import { Failure, usage } from '../../core/failure.ts';
import type { Context } from '../../core/context.ts';
import { encodeJson, type Json } from '../../core/json.ts';
import { render } from '../../output/render.ts';
import type { OutputOptions, Result, View } from '../../output/view.ts';
import { complete } from './prompt-missing.ts';
import type { Command, Values } from '../command.ts';
import { commandContext, type RunState } from './create-context.ts';
import type { CommandContext } from '../context.ts';
import { DryRun } from './dry-run.ts';
import { commonOptions } from '../parse/common-options.ts';
import { commandLine } from '../words.ts';
import { createWriteRecord, withUnfilteredAnswer, withWriteHint, type Written } from './write-record.ts';

/**
 * The way of every command: complete its values, ask before it destroys, run it, print what it ends with. Gives the
 * exit code; fails with Failure where the command does.
 */
export async function runCommand(
  context: Context,
  command: Command,
  given: Values,
  output: OutputOptions,
  path: readonly string[],
): Promise<ExitCode> {
  const state: RunState = { goOn: undefined, written: createWriteRecord() };
  const ctx = commandContext(context, { output, dryRun: given['dryRun'] === true, yes: given['yes'] === true }, state);
  try {
    await checkFilter(output, ctx);
    const values = await complete(ctx, command, { ...command.options, ...commonOptions(command) }, given);
    await confirmed(ctx, command, values, path);
    if (values['watch'] === true) return await watch(ctx, command, values);
    return await print(ctx, await command.run(ctx, values), state.written);
  } catch (error) {
    if (error instanceof DryRun) return await print(ctx, error.result(), state.written);
    throw withWriteHint(withResumeHint(error, state.goOn), state.written);
  }
}

async function print(ctx: CommandContext, result: Result, written: Written): Promise<ExitCode> {
  try {
    await render(result, ctx.output, ctx);
  } catch (error) {
    throw await withUnfilteredAnswer(error, result, written);
  }
  // A failure as JSON is the one thing on stderr: what reads it gets no other line before it.
  const asJson = ctx.output.format === 'json' || ctx.output.format === 'jsonl';
  if (result.failure === undefined || !asJson) for (const note of result.notes ?? []) await ctx.tell(note);
  if (result.failure !== undefined) throw result.failure;
  return result.exit ?? EXIT.done;
}

/** A filter that does not compile costs no request, not even for a list to pick from. Fails with usage (2). */
async function checkFilter({ jq }: OutputOptions, { blocking }: Context): Promise<void> {
  if (jq === undefined) return;
  const { checkJq } = await import('../../output/formats/jq.ts');
  await checkJq(jq, blocking);
}

async function confirmed(
  ctx: CommandContext,
  command: Command,
  values: Values,
  path: readonly string[],
): Promise<void> {
  if (command.confirm === undefined || ctx.yes || ctx.dryRun || !command.confirmWhen(values)) return;
  // Decided before anything is looked up: a script without --yes must send nothing.
  if (!ctx.terminal.canAsk)
    throw usage(
      `\`${lineOf(command, values, path)}\` asks before it goes on, and there is no terminal to ask on`,
      'Add --yes to go on without a question.',
    );
  await ctx.tell(await command.confirm(ctx, values));
  if (!(await ctx.prompts.confirm('Go on?', false)))
    throw new Failure({ code: 'declined', exit: EXIT.usage, message: 'stopped: nothing was changed' });
}

/** The command and what it is about, as it was called but for its flags: `berth queue purge demo`. */
const lineOf = (command: Command, values: Values, path: readonly string[]): string =>
  commandLine(
    ...path,
    ...Object.keys(command.args).flatMap((key) => (values[key] ?? []) as string | readonly string[]),
  );

/** Ctrl-C is how a watch ends: quietly, with 130, or 143 for a polite kill. */
async function watch(ctx: CommandContext, command: Command, values: Values): Promise<ExitCode> {
  const { openLive } = await import('../../output/live/live.ts');
  const live = await openLive(ctx.output, ctx);
  try {
    for (;;) {
      await live.show(await command.run(ctx, values));
      await ctx.clock.sleep(Number(values['interval']), ctx.signal);
    }
  } catch (error) {
    const ended = error instanceof Failure && (error.exit === EXIT.interrupted || error.exit === EXIT.terminated);
    if (ended && ctx.signal.aborted) return error.exit;
    throw error;
  } finally {
    await live.close();
  }
}

/** What ends a command in the middle of following something says how to go on with it. */
function withResumeHint(error: unknown, goOn: string | undefined): unknown {
  if (!(error instanceof Failure) || goOn === undefined) return error;
  const line = `Go on with: ${goOn}`;
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

/** A view for a document that has none of its own: its members as they are. */
export const plainView = (noun: string): View => ({
  noun: [noun, `${noun}s`],
  id: (row: Json) => encodeJson(row),
  columns: [],
});
