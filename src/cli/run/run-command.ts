import { type Command, commonOptions, textIn, type Values, type WatchSpec } from '../model/command.ts';
import type { CommandContext } from '../model/context.ts';
import { createCommandContext, type RunState } from './create-context.ts';
import { DRY_RUN_NOTE, DryRun, isShown } from './dry-run.ts';
import { completeValues, promptsWithKey } from '../ask.ts';
import { every } from '../until.ts';
import type { WriteRecord } from './transports.ts';
import { type Access, accessFailure, allowedAccess, requireAccess } from '../../core/access.ts';
import type { Context } from '../../core/context.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, isInterrupt } from '../../core/failure.ts';
import { lines, sentence } from '../../core/message.ts';
import { suggestName } from '../../core/text.ts';
import { MINUTE_MS } from '../../core/unit-types.ts';
import { untilAborted } from '../../core/until-aborted.ts';
import { checkFields, checkKnownFields } from '../../output/fields.ts';
import { isJsonFormat } from '../../output/formats/format-table.ts';
import { render } from '../../output/render.ts';
import { styled } from '../../output/text/terminal-text.ts';
import type { OutputOptions, Result } from '../../output/view.ts';

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
  const writes = { ids: new Set<string>(), hasWritten: false, changedLists: false, outputFailed: false };
  const state: RunState = { resumeCommand: undefined, writes };
  const ctx = createCommandContext(
    context,
    { output, dryRun: given['dryRun'] === true, yes: given['yes'] === true },
    state,
  );
  try {
    // Before any request, also for a list to pick from.
    if (output.jq !== undefined) await (await import('../../output/formats/jq.ts')).checkJq(output.jq, ctx.blocking);
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
    if (command.watch !== undefined && values['watch'] === true)
      return await watch(ctx, command, command.watch, values);
    return await untilTold(ctx, command, values, path, async (keep) => {
      const result = keep(await command.run(asking, values));
      // A result with an outcome is never withheld: it may be from a long wait.
      if (!command.writes && result.exit === undefined && result.failure === undefined)
        checkFields(result, output, suggestName);
      const shown = ctx.dryRun && isShown(ctx.terminal, output) ? withDryRunNote(result) : result;
      return endOf(state, await print(ctx, shown, writes));
    });
  } catch (error) {
    if (error instanceof DryRun) return endOf(state, await print(ctx, error.result(ctx, output), writes));
    if (error instanceof Failure && error.code === 'closed-pipe') await tellUnprinted(ctx, writes);
    throw withWriteHint(withResumeHint(error, state), writes);
  } finally {
    if (writes.changedLists) await context.lists.expire();
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
  if (ctx.terminal.outputClosed && result.kind !== 'nothing') await tellUnprinted(ctx, writes);
  if (result.failure !== undefined) throw result.failure;
  return result.kind === 'program' ? result.code : (result.exit ?? EXIT.done);
}

/** What was written may cost money, and nothing else has its id. */
async function tellUnprinted(ctx: CommandContext, { ids }: WriteRecord): Promise<void> {
  const list = [...ids].join(', ');
  if (ids.size > 0) await ctx.tell(`Standard output is closed, so this was not printed there: ${list}`);
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

/** Hints that the write succeeded, with the unprinted ids: else a user might repeat it. */
function withWriteHint(error: unknown, { ids, hasWritten, outputFailed }: WriteRecord): unknown {
  if (!(error instanceof Failure) || !hasWritten) return error;
  // `--jq` compiled and then failed on the data.
  const filterFailed = error.code === 'jq' && error.exit !== EXIT.usage;
  if (!outputFailed && !filterFailed) return error;
  const [id] = ids;
  const list = id === undefined ? '' : `: ${[...ids].join(', ')}`;
  return error.with({
    hint: lines(
      `The service completed the request${list}`,
      'Check the result first: running the command again may repeat it.',
      filterFailed ? error.hint : undefined,
    ),
    ...(ids.size === 1 ? { id } : {}),
  });
}

/** Failed polls in a row; then fails as the last one did. */
const MAX_FAILED_POLLS = 10;

/** Ends 0 on q or when the row is gone, 130/143 on signals. Failed polls (6, 7) are retried after a success. */
async function watch(
  ctx: CommandContext,
  command: Command,
  { ended, bell }: WatchSpec,
  values: Values,
): Promise<number> {
  const { openWatchView } = await import('../../output/live/watch-view.ts');
  const quit = new AbortController();
  const intervalMs = Number(values['interval']);
  const onQuit = (): void => {
    quit.abort(new Error('the user quit'));
  };
  const live = await openWatchView(ctx.output, ctx, { intervalMs, onQuit });
  const signal = AbortSignal.any([ctx.signal, quit.signal]);
  let first: Result | undefined;
  let [shownAt, failures, hasEnded] = [0, 0, false];
  let gone: Failure | undefined;
  try {
    for (;;) {
      try {
        const result = await untilAborted(quit.signal, command.run(ctx, values));
        [shownAt, failures] = [ctx.clock.monotonic(), 0];
        first ??= result;
        await live.show(result);
        hasEnded = ended?.(result, first) === true;
        if (hasEnded) return result.exit ?? EXIT.done;
      } catch (error) {
        if (first === undefined || ctx.signal.aborted || !(error instanceof Failure)) throw error;
        if (error.exit === EXIT.notFound) {
          gone = error;
          return EXIT.done;
        }
        failures += 1;
        const isTemporary = error.exit === EXIT.unavailable || error.exit === EXIT.rateLimited;
        if (!isTemporary || failures >= MAX_FAILED_POLLS) throw error;
        await live.stale(error.message, ctx.clock.monotonic() - shownAt);
      }
      await every(ctx, intervalMs, { signal });
    }
  } catch (error) {
    if (ctx.signal.aborted && isInterrupt(error)) return error.exit;
    if (quit.signal.aborted && error === quit.signal.reason) return EXIT.done;
    throw error;
  } finally {
    await live.close(hasEnded || gone !== undefined);
    if (hasEnded && bell === true && ctx.terminal.errors && ctx.terminal.redraws)
      await ctx.stderr.write(styled`\u0007`);
    if (gone !== undefined) await ctx.tell(`${gone.message}: the watch has ended`);
  }
}
