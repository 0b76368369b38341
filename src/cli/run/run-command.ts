import { type Command, commonOptions, textIn, type Values } from '../model/command.ts';
import { type CommandContext } from '../model/context.ts';
import { createCommandContext, type RunState } from './create-context.ts';
import { DRY_RUN_NOTE, DryRun, isShown } from './dry-run.ts';
import { completeValues, promptsWithKey } from '../ask.ts';
import { createWriteRecord, notPrinted, unprinted, withWriteHint, type WriteRecord } from './write-record.ts';
import { type Access, accessFailure, allowedAccess, requireAccess } from '../../core/access.ts';
import type { Context } from '../../core/context.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { encodeJson, type Json } from '../../core/json.ts';
import { lines, sentence } from '../../core/message.ts';
import { suggestName } from '../../core/text.ts';
import { MINUTE_MS } from '../../core/unit-types.ts';
import { checkFields, checkKnownFields } from '../../output/fields.ts';
import { isJsonFormat } from '../../output/formats/format-table.ts';
import { render } from '../../output/render.ts';
import type { OutputOptions, Result, View } from '../../output/view.ts';

/** Denied (3) by the command line alone, before anything is asked or opened. A dry run fails at its end. */
function refuseAccess(ctx: CommandContext, state: RunState, command: Command, values: Values | undefined): void {
  const { needs } = command;
  if ((typeof needs === 'function') !== (values !== undefined)) return;
  const needed = typeof needs === 'function' ? needs(values ?? {}) : (needs ?? usualNeed(command));
  if (needed === 'read') return;
  const allowed = allowedAccess(ctx.settings);
  if (!ctx.dryRun) requireAccess(needed, allowed);
  // Without a need of its own, the requests of the dry run tell it.
  else if (needs !== undefined) state.refusal ??= accessFailure(needed, allowed);
}

const usualNeed = ({ writes, destroys }: Command): Access => (!writes ? 'read' : destroys ? 'full' : 'write');

/** Returns the exit code; fails as the command does. */
export async function runCommand(
  context: Context,
  command: Command,
  given: Values,
  output: OutputOptions,
  path: readonly string[],
): Promise<number> {
  const state: RunState = { resumeCommand: undefined, writes: createWriteRecord() };
  const ctx = createCommandContext(
    context,
    { output, dryRun: given['dryRun'] === true, yes: given['yes'] === true },
    state,
  );
  try {
    await checkFilter(output, ctx);
    refuseAccess(ctx, state, command, undefined);
    const asking = command.writes ? { ...ctx, prompts: promptsWithKey(ctx) } : ctx;
    const values = await completeValues(
      asking,
      command,
      { ...command.options, ...commonOptions(command) },
      given,
      path,
    );
    refuseAccess(ctx, state, command, values);
    if (command.writes && command.fields !== undefined) checkKnownFields(command.fields, output, suggestName);
    if (command.watch !== undefined && values['watch'] === true) {
      const { watch } = await import('./watch.ts');
      return await watch(ctx, { ...command, watch: command.watch }, values);
    }
    return await untilTold(ctx, command, values, path, async (keep) => {
      const result = keep(await command.run(asking, values));
      // A result with an outcome is never withheld: it may be from a long wait.
      if (!command.writes && result.exit === undefined && result.failure === undefined)
        checkFields(result, output, suggestName);
      const shown = ctx.dryRun && isShown(ctx.terminal, output) ? withDryRunNote(result) : result;
      return endOf(state, await print(ctx, shown, state.writes));
    });
  } catch (error) {
    if (error instanceof DryRun) return endOf(state, await print(ctx, error.result(ctx, output), state.writes));
    const lost = unprinted(error, state.writes);
    if (lost !== undefined) await ctx.tell(lost);
    throw withWriteHint(withResumeHint(error, state), state.writes);
  } finally {
    if (state.writes.changedLists) await context.lists.expire();
  }
}

/** The end of `work` is told as `--notify` or the setting has it; an interrupt by the user is not. */
async function untilTold(
  ctx: CommandContext,
  command: Command,
  values: Values,
  path: readonly string[],
  work: (keep: (result: Result) => Result) => Promise<number>,
): Promise<number> {
  const startedAt = ctx.clock.monotonic();
  const end: { result?: Result; error?: unknown } = {};
  try {
    return await work((result) => (end.result = result));
  } catch (thrown) {
    end.error = thrown;
    throw thrown;
  } finally {
    const tookMs = ctx.clock.monotonic() - startedAt;
    const isLong = tookMs > MINUTE_MS && end.result?.kind !== 'nothing' && 'notify' in commonOptions(command);
    const target = textIn(values, 'notify') ?? (isLong ? ctx.settings.get('notify') : undefined);
    if (target !== undefined && !ctx.dryRun && !ctx.signal.aborted)
      await (await import('../notify.ts')).notify(ctx, target, [path, command, values], { ...end, tookMs });
  }
}

/** Fails after a dry run whose content the setting `access` would refuse. */
function endOf({ refusal }: RunState, code: number): number {
  if (refusal !== undefined) throw refusal;
  return code;
}

const withDryRunNote = (result: Result): Result => ({ ...result, notes: [...(result.notes ?? []), DRY_RUN_NOTE] });

async function print(ctx: CommandContext, result: Result, writes: WriteRecord): Promise<number> {
  await render(result, ctx.output, ctx);
  // A failure printed as JSON must be the only output on stderr.
  const asJson = isJsonFormat(ctx.output.format);
  if (result.failure === undefined || !asJson) for (const note of result.notes ?? []) await ctx.tell(note);
  if (ctx.terminal.outputClosed && result.kind !== 'nothing' && writes.ids.size > 0)
    await ctx.tell(notPrinted(writes.ids));
  if (result.failure !== undefined) throw result.failure;
  return result.kind === 'program' ? result.code : (result.exit ?? EXIT.done);
}

/** Before any request, also for a list to pick from. Fails with usage (2). */
async function checkFilter({ jq }: OutputOptions, { blocking }: Context): Promise<void> {
  if (jq === undefined) return;
  const { checkJq } = await import('../../output/formats/jq.ts');
  await checkJq(jq, blocking);
}

/** For an interrupt or a temporary failure. */
function withResumeHint(error: unknown, { resumeCommand }: RunState): unknown {
  if (!(error instanceof Failure) || resumeCommand === undefined) return error;
  const line = sentence`Go on with: ${resumeCommand}`;
  switch (error.exit) {
    case EXIT.interrupted:
    case EXIT.terminated:
      return error.with({ hint: sentence`Nothing was cancelled. ${line}` });
    case EXIT.unavailable:
    case EXIT.rateLimited:
      return error.with({ hint: lines(error.hint, line) });
    default:
      return error;
  }
}

export const plainView = (noun: string): View => ({
  noun: [noun, `${noun}s`],
  id: (row: Json) => encodeJson(row),
  columns: [],
});
