import { type Command, commonOptions, type Confirmation, type Values } from '../model/command.ts';
import { type CommandContext, onProfile } from '../model/context.ts';
import { createCommandContext, type RunState } from './create-context.ts';
import { DRY_RUN_NOTE, DryRun, isShown, unlessUnread } from './dry-run.ts';
import { completeValues, promptsWithKey } from '../ask.ts';
import { sameCommand } from './same-command.ts';
import {
  createWriteRecord,
  notPrinted,
  unprinted,
  withUnfilteredAnswer,
  withWriteHint,
  type WriteRecord,
} from './write-record.ts';
import { type Access, accessFailure, allowedAccess, requireAccess } from '../../core/access.ts';
import type { Context } from '../../core/context.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, usage } from '../../core/failure.ts';
import { encodeJson, type Json } from '../../core/json.ts';
import { isMessage, lines, type Message, printed, sentence } from '../../core/message.ts';
import { safeText } from '../../core/safe-text.ts';
import { suggestName } from '../../core/text.ts';
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
    await tellForeignHome(ctx);
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
    const early = command.preparesFirst ? await command.prepare?.(ctx, values) : undefined;
    const asks = mustConfirm(ctx, command, values, path);
    const prepared = command.preparesFirst ? early : await command.prepare?.(ctx, values);
    if (ctx.dryRun && (await showQuestion(ctx, command, values, prepared, output))) return endOf(state, EXIT.done);
    if (asks) await confirm(ctx, command, await command.confirm?.(ctx, values, prepared));
    if (command.watch !== undefined && values['watch'] === true) {
      const { watch } = await import('./watch.ts');
      return await watch(ctx, { ...command, watch: command.watch }, values);
    }
    const result = await command.run(asking, values, prepared);
    // A result with an outcome is never withheld: it may be from a long wait.
    if (!command.writes && result.exit === undefined && result.failure === undefined)
      checkFields(result, output, suggestName);
    const shown = ctx.dryRun && isShown(ctx.terminal, output) ? withDryRunNote(result) : result;
    return endOf(state, await print(ctx, shown, state.writes));
  } catch (error) {
    if (error instanceof DryRun) return endOf(state, await print(ctx, await error.result(ctx, output), state.writes));
    const lost = unprinted(error, state.writes);
    if (lost !== undefined) await ctx.tell(lost);
    throw withWriteHint(withResumeHint(error, state), state.writes);
  } finally {
    if (state.writes.changedLists) await context.lists.expire();
  }
}

/** The profiles are root's and not the home's owner's, as after `sudo -E`. */
async function tellForeignHome(ctx: CommandContext): Promise<void> {
  if (ctx.foreignHome === undefined || !ctx.terminal.errors || ctx.settings.get('quiet')) return;
  await ctx.tell(
    `${safeText(ctx.foreignHome)} is the home folder of another user: root uses its own profiles, in ${ctx.profiles.path}.`,
  );
}

/** Fails after a dry run whose content the setting `access` would refuse. */
function endOf({ refusal }: RunState, code: number): number {
  if (refusal !== undefined) throw refusal;
  return code;
}

const withDryRunNote = (result: Result): Result => ({ ...result, notes: [...(result.notes ?? []), DRY_RUN_NOTE] });

async function print(ctx: CommandContext, result: Result, writes: WriteRecord): Promise<number> {
  try {
    await render(result, ctx.output, ctx);
  } catch (error) {
    throw await withUnfilteredAnswer(error, result, writes);
  }
  // A failure printed as JSON must be the only output on stderr.
  const asJson = isJsonFormat(ctx.output.format);
  if (result.failure === undefined || !asJson) for (const note of result.notes ?? []) await ctx.tell(note);
  if (ctx.terminal.outputClosed && result.kind !== 'nothing' && result.kind !== 'program')
    await ctx.tell(
      writes.ids.size === 0 ? 'Standard output is closed: nothing was printed there.' : notPrinted(writes.ids),
    );
  if (result.failure !== undefined) throw result.failure;
  return result.kind === 'program' ? result.code : (result.exit ?? EXIT.done);
}

/** Before any request, also for a list to pick from. Fails with usage (2). */
async function checkFilter({ jq }: OutputOptions, { blocking }: Context): Promise<void> {
  if (jq === undefined) return;
  const { checkJq } = await import('../../output/formats/jq.ts');
  await checkJq(jq, blocking);
}

/** Fails with usage (2) without a terminal, before anything is sent. */
function mustConfirm(ctx: CommandContext, command: Command, values: Values, path: readonly string[]): boolean {
  if (command.confirm === undefined || ctx.yes || ctx.dryRun || !command.confirmWhen(values, ctx)) return false;
  if (ctx.terminal.canAsk) return true;
  throw usage(
    `\`${printed(sameCommand(command, values, path), ctx.settings)}\` asks for confirmation, and there is no terminal to ask on`,
    'Add --yes to confirm.',
  );
}

async function tellQuestion(ctx: CommandContext, question: Message | Confirmation, withRows: boolean): Promise<void> {
  const { rows, lines: said } = isMessage(question) ? { rows: undefined, lines: [question] } : question;
  if (withRows && rows !== undefined) await ctx.tellRows(rows.view, rows.values);
  for (const line of said) await ctx.tell(line);
}

/** For dry runs. Returns whether it replaces the requests: not if unread, empty or partly refused. */
async function showQuestion(
  ctx: CommandContext,
  command: Command,
  values: Values,
  prepared: unknown,
  output: OutputOptions,
): Promise<boolean> {
  const isWhole = ctx.terminal.errors && isShown(ctx.terminal, output);
  if (!isWhole && ctx.settings.get('quiet')) return false;
  const question = await unlessUnread(ctx, async () => command.confirm?.(ctx, values, prepared));
  if (question === undefined) return false;
  if (!isMessage(question) && question.isPartial === true) {
    // A failure printed as JSON must be the only output on stderr.
    if (!isJsonFormat(output.format)) await tellQuestion(ctx, question, false);
    return false;
  }
  await tellQuestion(ctx, question, isWhole);
  if (isWhole) await ctx.tell(DRY_RUN_NOTE);
  return isWhole;
}

async function confirm(
  ctx: CommandContext,
  { writes }: Command,
  question: Message | Confirmation | undefined,
): Promise<void> {
  if (question === undefined) return;
  const where = writes ? await onProfile(ctx) : '';
  const { typed, orTyped } = isMessage(question) ? { typed: undefined } : question;
  await tellQuestion(ctx, question, true);
  const confirmed =
    typed === undefined
      ? await ctx.prompts.confirm(`Continue${where}?`, false)
      : await wasTyped(ctx, [typed, ...(orTyped === undefined ? [] : [orTyped])], where);
  if (!confirmed)
    throw new Failure({ code: 'declined', exit: EXIT.usage, message: 'not confirmed: nothing was changed' });
}

/** An empty answer declines. */
async function wasTyped({ prompts }: CommandContext, texts: readonly string[], where: string): Promise<boolean> {
  const isIt = (answer: string): boolean => texts.some((text) => answer === text || answer === `"${text}"`);
  const shown = texts.map((text) => `"${safeText(text)}"`).join(' or ');
  const check = (answer: string): string | undefined =>
    isIt(answer) || answer === '' ? undefined : `This is not ${shown}; an empty answer changes nothing`;
  return isIt(
    await prompts.text(`Type ${shown} to continue${where}:`, {
      check,
      clearsWrong: true,
      instead: 'Nothing was confirmed. --yes confirms it.',
    }),
  );
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
