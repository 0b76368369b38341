import { berth, inOne, lines, type Message, names } from '../../core/message.ts';
import type { ApiRequest } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, rethrowUnlessFailure, unlessFailed } from '../../core/failure.ts';
import type { Id } from '../../core/ids.ts';
import { type Json, stringAt } from '../../core/json.ts';
import { safeText } from '../../core/safe-text.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import { idOf, type Result } from '../../output/view.ts';
import { type Command, type CommandWords, type Confirmation, defineCommand } from '../model/command.ts';
import type { CommandContext } from '../model/context.ts';
import { option, type Param } from '../model/params.ts';
import { OUTCOMES } from '../model/common-schemas.ts';
import { countOf, pluralOf } from '../words.ts';
import { idsArgument, type Resource } from './read.ts';
import {
  hasSelector,
  labelOf,
  nothingSelected,
  readTargets,
  selectTargets,
  type ChoiceValues,
  type Chosen,
} from './choose.ts';
import { selectorOptions } from './selectors.ts';
import { unlessUnread } from '../run/dry-run.ts';
import { outcomeResult, sendEach, type Sent, SEVERAL } from './several.ts';

export interface Guard {
  readonly force: string;
  /** By id. If it fails, the delete fails too, unless `--force` is given. */
  readonly reasons: (ctx: CommandContext, rows: readonly Json[]) => Promise<ReadonlyMap<string, string>>;
  readonly hint: (ctx: CommandContext, ids: readonly string[]) => Message | undefined | Promise<Message | undefined>;
}

export interface DeleteSpec extends CommandWords {
  /** Printed before the confirmation: `Its data is destroyed.` */
  readonly loss?: string;
  /** Then its name must be typed. */
  readonly destroysData?: (row: Json) => boolean;
  /** `It saves $7.47 an hour.` Omitted if it cannot be found out. */
  readonly saving?: (ctx: CommandContext, rows: readonly Json[]) => Promise<string | undefined>;
  readonly guard?: Guard;
  /** What the service itself refuses; looked up for a dry run only, which ends as the delete would. */
  readonly refused?: Pick<Guard, 'reasons'> & { readonly hint?: (row: Json) => Message | undefined };
  /** Lines at the end, such as what still costs. `ended`: deleted ids; `all`: all were to be deleted. */
  readonly remaining?: (ctx: CommandContext, ended: readonly string[], all: boolean) => Promise<readonly Message[]>;
  readonly done?: string;
}

interface DeleteValues extends ChoiceValues {
  readonly force?: boolean | undefined;
}

/** Protected rows are refused before anything is sent, and left out of a selection. */
export function deleteCommand(resource: Resource, name: string, spec: DeleteSpec): Command {
  const done = spec.done ?? 'deleted';
  const plural = pluralOf(resource.noun);
  const force = (spec.guard === undefined ? {} : { force: option.on(spec.guard.force) }) as Readonly<
    Record<'force', Param<boolean | undefined>>
  >;
  return defineCommand({
    summary: spec.summary,
    details: [spec.details, SEVERAL, 'Selectors: berth help selectors.'].filter(Boolean).join(' '),
    examples: spec.examples,
    args: { id: idsArgument(resource) },
    options: { ...selectorOptions(resource.table, plural), ...force },
    output: OUTCOMES,
    writes: true,
    prepare: (ctx, values) => targetsOf(ctx, resource, spec, values),
    confirm: async (ctx, { force: isForced }, { bySelector, targets }) => {
      const failed = targets.find(({ failure }) => failure !== undefined);
      if (failed?.failure !== undefined && !ctx.dryRun) throw failed.failure;
      const going = targets.filter((target) => target.failure === undefined);
      if (going.length === 0 || going.some(({ row }) => row === undefined)) return undefined;
      const rows = rowsOf(going);
      const named = bySelector ? '' : `: ${rows.map(labelOf).join(', ')}`;
      const said = [
        `This affects ${countOf(rows.length, resource.noun)}, for good${named}.`,
        await unlessFailed(ctx, async () => spec.saving?.(ctx, rows)),
        spec.loss,
        ...(isForced === true ? await forcedReasons(ctx, spec.guard, rows) : []),
      ].filter((line) => line !== undefined);
      return {
        ...(bySelector ? { rows: { view: resource.view, values: rows } } : {}),
        lines: [inOne(said)],
        isPartial: going.length < targets.length,
        ...(rows.some((row) => spec.destroysData?.(row) === true) ? textToType(resource, rows) : {}),
      } satisfies Confirmation;
    },
    run: async (ctx, { all }, { bySelector, targets }): Promise<Result> => {
      const remainingAfter = async (ids: readonly string[]) => (await spec.remaining?.(ctx, ids, all)) ?? [];
      if (targets.length === 0) {
        const nothing = nothingSelected(ctx, resource, done);
        return { ...nothing, notes: [...(nothing.notes ?? []), ...(await remainingAfter([]))] };
      }
      const request = (known: Id): ApiRequest => ({
        service: 'base',
        method: 'DELETE',
        path: [...resource.path, known],
        id: known,
        checkCommand: berth`${names(name)} list`,
      });
      const answers = await sendEach(
        ctx,
        resource,
        targets.map(({ word, row, failure }) => ({ given: word, name: stringAt(row, 'name'), request, failure })),
      );
      const sent = answers.map((each) => withHint(each, spec.refused, rowsOf(targets)));
      const ended = sent.flatMap(({ id, failure }) => (failure === undefined ? [id] : []));
      const remaining = await remainingAfter(ended);
      const [only, ...others] = sent;
      if (!bySelector && others.length === 0 && only !== undefined) {
        if (only.failure !== undefined) throw only.failure;
        if (isTableOutput(ctx.output))
          return { kind: 'nothing', notes: [`${resource.noun} ${targets[0]?.word ?? ''} is ${done}.`, ...remaining] };
      }
      return { ...outcomeResult(ctx, resource.noun, sent, done), notes: remaining };
    },
  });
}

/** Reads rows only where something is said, asked or checked about them. */
async function targetsOf(
  ctx: CommandContext,
  resource: Resource,
  { guard, refused }: DeleteSpec,
  values: DeleteValues,
): Promise<Chosen> {
  const isGuarded = guard !== undefined && values.force !== true;
  if (hasSelector(values)) {
    const exclude = async (rows: readonly Json[]): Promise<ReadonlyMap<string, string>> =>
      isGuarded ? await guard.reasons(ctx, rows) : new Map();
    const chosen = await selectTargets(ctx, resource, values, exclude);
    return { ...chosen, targets: await withRefusals(ctx, refused, chosen.targets) };
  }
  if (!ctx.dryRun && ctx.yes && !isGuarded)
    return { bySelector: false, targets: values.id.map((word) => ({ word })), leftOut: [] };
  // A dry run reads too, and refuses what is missing or protected.
  const targets = await readTargets(ctx, resource, values.id);
  const rows = rowsOf(targets);
  if (isGuarded && rows.length > 0)
    await refuse(await guard.reasons(ctx, rows), rows.length, async (ids) =>
      lines(await guard.hint(ctx, ids), `--force: ${guard.force}`),
    );
  return { bySelector: false, targets: await withRefusals(ctx, refused, targets), leftOut: [] };
}

const rowsOf = (targets: Chosen['targets']): readonly Json[] => targets.flatMap(({ row }) => row ?? []);

/** For a dry run only; unchanged where the service cannot be read. */
async function withRefusals(
  ctx: CommandContext,
  refused: DeleteSpec['refused'],
  targets: Chosen['targets'],
): Promise<Chosen['targets']> {
  const rows = rowsOf(targets);
  if (!ctx.dryRun || refused === undefined || rows.length === 0) return targets;
  const reasons = (await unlessUnread(ctx, () => refused.reasons(ctx, rows))) ?? new Map<string, string>();
  return targets.map((target) => {
    const reason = target.row === undefined ? undefined : reasons.get(idOf(target.row));
    if (reason === undefined) return target;
    const hint = refused.hint?.(target.row ?? null);
    const message = targets.length === 1 ? `${reason}: nothing was sent` : reason;
    return { ...target, failure: refusal(message, hint) };
  });
}

/** Where the service refused it by the state of the row (409). */
function withHint(sent: Sent, refused: DeleteSpec['refused'], rows: readonly Json[]): Sent {
  const row = rows.find((each) => idOf(each) === sent.id);
  const hint = row === undefined || sent.failure?.status !== 409 ? undefined : refused?.hint?.(row);
  return sent.failure === undefined || hint === undefined ? sent : { ...sent, failure: sent.failure.with({ hint }) };
}

/** Refused (5), before anything is sent. */
async function refuse(
  reasons: ReadonlyMap<string, string>,
  count: number,
  hintFor: (ids: readonly string[]) => ReturnType<Guard['hint']>,
): Promise<void> {
  const [first] = reasons.values();
  if (first === undefined) return;
  const hint = await hintFor([...reasons.keys()]);
  if (reasons.size === 1) throw refusal(`${first}: nothing was sent`, hint);
  const message = `${reasons.size} of ${count} are protected: nothing was sent`;
  throw refusal(message, hint).with({ errors: [...reasons.values()] });
}

const refusal = (message: string, hint: Message | undefined): Failure =>
  new Failure({ code: 'refused', exit: EXIT.refused, message, ...(hint === undefined ? {} : { hint }) });

/** A sentence that says so if they cannot be read. */
async function forcedReasons(
  ctx: CommandContext,
  guard: Guard | undefined,
  rows: readonly Json[],
): Promise<readonly Message[]> {
  if (guard === undefined) return [];
  try {
    return [...(await guard.reasons(ctx, rows)).values()].map((reason) => `${reason}.`);
  } catch (error) {
    rethrowUnlessFailure(error, ctx);
    return [`What is protected could not be looked up: ${error.message}.`];
  }
}

/** The id if the name cannot be typed. For several rows their number, such as `3 volumes`. */
function textToType(resource: Resource, rows: readonly Json[]): Pick<Confirmation, 'typed' | 'orTyped'> {
  const [only = null, ...others] = rows;
  if (others.length > 0) return { typed: countOf(rows.length, resource.noun) };
  const name = stringAt(only, 'name') ?? '';
  const canBeTyped = name.trim() === name && name !== '' && safeText(name) === name;
  if (!canBeTyped) return { typed: idOf(only) };
  return /^[ -~]+$/.test(name) ? { typed: name } : { typed: name, orTyped: idOf(only) };
}
