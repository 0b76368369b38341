import { type Command, textIn, type Values, type WatchSpec } from '../model/command.ts';
import type { CommandContext } from '../model/context.ts';
import { createCommandContext } from './create-context.ts';
import { DRY_RUN_NOTE, DryRun, isShown } from './dry-run.ts';
import { completeValues, promptsWithKey } from '../ask.ts';
import type { Ending } from '../notify.ts';
import { every } from '../until.ts';
import type { RunState, WriteRecord } from './transports.ts';
import { accessFailure, requireAccess } from '../../core/access.ts';
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
  const { needs, writes, destroys } = command;
  const usual = !writes ? 'read' : destroys ? 'full' : 'write';
  if ((typeof needs === 'function') !== (values !== undefined)) return;
  const needed = typeof needs === 'function' ? needs(values ?? {}) : (needs ?? usual);
  if (needed === 'read') return;
  if (!ctx.dryRun) requireAccess(needed, ctx.settings);
  // Without a need of its own, the requests of the dry run tell it.
  else if (needs !== undefined) state.refusal ??= accessFailure(needed, ctx.settings);
}

/** Returns the exit code; fails as the command does. */
export async function runCommand(
  context: Context,
  command: Command,
  given: Values,
  output: OutputOptions,
  path: readonly string[],
): Promise<number> {
  const writes = { ids: new Set<string>(), hasWritten: false };
  const state: RunState = { resumeCommand: undefined, writes };
  const ctx = createCommandContext(
    context,
    { output, dryRun: given['dryRun'] === true, yes: given['yes'] === true },
    state,
  );
  let startedAt = 0;
  const end: { values?: Values; result?: Result; error?: unknown } = {};
  try {
    // Before any request, also for a list to pick from.
    if (output.jq !== undefined) await (await import('../../output/formats/jq.ts')).checkJq(output.jq, ctx.blocking);
    refuseAccess(ctx, state, command, undefined);
    const asking = command.writes ? { ...ctx, prompts: promptsWithKey(ctx) } : ctx;
    const values = await completeValues(asking, command, given, path);
    refuseAccess(ctx, state, command, values);
    if (command.writes && command.fields !== undefined) checkKnownFields(command.fields, output, suggestName);
    if (command.watch !== undefined && values['watch'] === true)
      return await watch(ctx, command, command.watch, values);
    end.values = values;
    startedAt = ctx.clock.monotonic();
    const result = (end.result = await command.run(asking, values));
    // A result with an outcome is never withheld: it may be from a long wait.
    if (!command.writes && result.exit === undefined && result.failure === undefined)
      checkFields(result, output, suggestName);
    return await print(ctx, result, state);
  } catch (error) {
    end.error = error;
    if (error instanceof DryRun) return await print(ctx, error.result(), state);
    if (error instanceof Failure && error.code === 'closed-pipe') await tellUnprinted(ctx, writes);
    throw withWriteHint(withResumeHint(error, state), writes);
  } finally {
    if (command.writes && !ctx.dryRun) await context.lists.expire();
    await tellEnd(ctx, command, path, { ...end, tookMs: ctx.clock.monotonic() - startedAt });
  }
}

/** As `--notify` or the setting has it, once the command has run. An interrupt by the user is not told. */
async function tellEnd(
  ctx: CommandContext,
  command: Command,
  path: readonly string[],
  end: Ending & { readonly values?: Values },
): Promise<void> {
  const { values } = end;
  if (values === undefined || ctx.dryRun || ctx.signal.aborted) return;
  const isLong = end.tookMs > MINUTE_MS && end.result?.kind !== 'nothing' && 'notify' in command.options;
  const target = textIn(values, 'notify') ?? (isLong ? ctx.settings.get('notify') : undefined);
  if (target !== undefined) await (await import('../notify.ts')).notify(ctx, target, [path, command, values], end);
}

/** Fails after a dry run whose content the setting `access` would refuse. */
async function print(ctx: CommandContext, result: Result, { writes, refusal }: RunState): Promise<number> {
  await render(result, ctx.output, ctx);
  const notes = [...(result.notes ?? []), ...(ctx.dryRun && isShown(ctx.terminal, ctx.output) ? [DRY_RUN_NOTE] : [])];
  // A failure printed as JSON must be the only output on stderr.
  if (result.failure === undefined || !isJsonFormat(ctx.output.format)) for (const note of notes) await ctx.tell(note);
  if (result.kind !== 'nothing' && writes.ids.size > 0 && ctx.terminal.outputClosed) await tellUnprinted(ctx, writes);
  const failure = result.failure ?? refusal;
  if (failure !== undefined) throw failure;
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
  if (isTemporary(error)) return error.with({ hint: lines(error.hint, line) });
  return isInterrupt(error) ? error.with({ hint: sentence`Nothing was cancelled. ${line}` }) : error;
}

const isTemporary = ({ exit }: Failure): boolean => exit === EXIT.unavailable || exit === EXIT.rateLimited;

/** Hints that the write succeeded, with the unprinted ids: else a user might repeat it. */
function withWriteHint(error: unknown, { ids, hasWritten }: WriteRecord): unknown {
  if (!(error instanceof Failure) || !hasWritten) return error;
  // `--jq` compiled and then failed on the data.
  const filterFailed = error.code === 'jq' && error.exit !== EXIT.usage;
  if (error.code !== 'output' && !filterFailed) return error;
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
        if (!isTemporary(error) || failures >= MAX_FAILED_POLLS) throw error;
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
