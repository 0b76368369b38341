import type { Collection } from '../model/collection.ts';
import { OUTCOME } from '../model/common-schemas.ts';
import type { CommandContext } from '../model/context.ts';
import { either, manyOf, type OutputSchema } from '../model/output-schema.ts';
import { textColumn } from './fields.ts';
import { dryRunNote, sendTo } from './identify.ts';
import { askAgain } from '../run/wait.ts';
import { pluralOf } from '../words.ts';
import type { ApiAnswer, ApiRequest } from '../../core/api.ts';
import type { SettingsView } from '../../core/context.ts';
import { EXIT, worstExit } from '../../core/exit-codes.ts';
import { Failure, printedFacts, rethrowUnlessFailure } from '../../core/failure.ts';
import { asId, type Id } from '../../core/ids.ts';
import { type Json, memberAt, stringAt } from '../../core/json.ts';
import { aboutOne, differentLines } from '../../core/message.ts';
import type { Absence } from '../../core/not-there-yet.ts';
import { text } from '../../output/cells.ts';
import { isJsonFormat, isTableOutput } from '../../output/formats/format-table.ts';
import { answerResult, idOf, type Result, type View } from '../../output/view.ts';

interface Ended {
  readonly id: string;
  readonly failure?: Failure | undefined;
}

/** With the code of the worst; undefined if none failed. `total`: how many, where only some are given. */
export function combinedFailure(ended: readonly Ended[], total = ended.length): Failure | undefined {
  const failed = ended.flatMap(({ id, failure }) => (failure === undefined ? [] : [{ id, failure }]));
  const [first] = failed;
  if (first === undefined) return undefined;
  if (total === 1) return first.failure;
  const exit = worstExit(failed.map(({ failure }) => failure.exit));
  const ofWorst = failed.filter(({ failure }) => failure.exit === exit);
  // What was not sent has the exit code of what failed before it.
  const worst = ofWorst.find(({ failure }) => failure.code !== 'not-sent') ?? first;
  return new Failure({
    code: worst.failure.code,
    exit,
    message: `${failed.length} of ${total} did not go through`,
    hint: differentLines(failed.map(({ failure }) => aboutOne(failure.hint))),
    errors: failed.map(({ id, failure }) => `${id}: ${failure.message}`),
  });
}

interface EachRequest<N extends string> {
  readonly given: string;
  /** In messages and results, if not the resource itself: a job of an endpoint. */
  readonly label?: string;
  readonly name?: string | undefined;
  /** The read before failed: no request is sent for it. */
  readonly failure?: Failure | undefined;
  readonly absence?: () => Promise<Absence | undefined>;
  readonly request: (id: Id<N>) => ApiRequest;
}

export type Sent<N extends string = string> = Pick<Outcome, 'id' | 'name' | 'status' | 'unchanged'> &
  (
    | { readonly known: Id<N>; readonly answer: ApiAnswer; readonly failure?: undefined }
    | { readonly answer?: undefined; readonly failure: Failure }
  );

/** One request per thing, in sequence; failures do not stop the rest. An interrupt: the rest is not-sent. */
export async function sendEach<N extends string>(
  ctx: CommandContext,
  collection: Collection<N>,
  requests: readonly EachRequest<N>[],
): Promise<readonly Sent<N>[]> {
  if (ctx.dryRun) {
    const sent = requests.filter(({ failure }) => failure === undefined);
    const words = [...new Set(sent.map(({ given }) => given))];
    const unknown = words.filter((word) => ctx.ids.get(collection, word) === undefined);
    if (unknown.length > 0) await ctx.tell(dryRunNote(unknown));
    return await ctx.previewAll(
      sent.map(({ given, request }) => request(ctx.ids.get(collection, given) ?? asId(given))),
      combinedFailure(requests.map(({ given, label, failure }) => ({ id: label ?? given, failure }))),
    );
  }
  const sent: Sent<N>[] = [];
  const acted = new Set<string>();
  for (const { given, label, name, failure, absence, request } of requests) {
    const id = (): string => label ?? ctx.ids.get(collection, given) ?? given;
    const stopped = failure ?? (ctx.signal.aborted ? notSent(ctx.signal.reason) : undefined);
    if (stopped !== undefined) {
      sent.push({ id: id(), name, failure: stopped });
      continue;
    }
    // Where the words are jobs, all are of one endpoint.
    const once = (known: Id<N>): ApiRequest => {
      if (label === undefined && acted.has(known)) throw new AlreadySent();
      return request(known);
    };
    try {
      const { id: known, answer } =
        label === undefined || absence === undefined
          ? await sendTo(ctx, collection, given, once)
          : await askAgain(ctx, label, absence, () => sendTo(ctx, collection, given, once));
      acted.add(known);
      const word = label === undefined && given !== known ? given : undefined;
      sent.push({ ...shownOf(answer, name ?? word), id: label ?? known, known, answer });
    } catch (error) {
      if (error instanceof AlreadySent) continue;
      if (!(error instanceof Failure)) throw error;
      sent.push({ id: id(), name, failure: error });
    }
  }
  return sent;
}

/** An earlier word named the same thing. */
class AlreadySent extends Error {}

export const shownOf = ({ value }: ApiAnswer, name?: string): Pick<Outcome, 'name' | 'status'> => ({
  name: stringAt(value, 'name') ?? name,
  status: stringAt(value, 'status'),
});

/** With the exit code of the interrupt. */
function notSent(reason: unknown): Failure {
  if (!(reason instanceof Failure)) throw reason;
  return reason.with({ code: 'not-sent', message: `not sent: ${reason.message}` });
}

export const SEVERAL = 'Several ids give an outcome each, and the worst exit code.';

export interface Outcome {
  /** If unknown, the word that the user entered. */
  readonly id: string;
  readonly name?: string | undefined;
  readonly status?: string | undefined;
  /** Nothing was done: it already was as asked. */
  readonly unchanged?: boolean | undefined;
  readonly failure?: Failure | undefined;
}

/** `{"id","name"?,"ok","status"?,"unchanged"?,"error"?}`; the same error as `--json` prints on stderr. */
export const outcomeRow = (
  { settings }: Pick<CommandContext, 'settings'>,
  { id, name, status, unchanged, failure }: Outcome,
): Json => ({
  id,
  ...(name === undefined ? {} : { name }),
  ok: failure === undefined,
  ...(status === undefined ? {} : { status }),
  ...(unchanged === true ? { unchanged } : {}),
  ...(failure === undefined ? {} : { error: errorOf(failure, settings) }),
});

export function errorOf(failure: Failure, settings: SettingsView): Json {
  const { exit: _, ...error } = printedFacts(failure.facts(), settings);
  return error as unknown as Json;
}

const outcomeView = (noun: string, done: string): View => ({
  noun: [noun, pluralOf(noun)],
  id: idOf,
  members: ['id', 'name', 'ok', 'status', 'unchanged', 'error'],
  columns: [
    textColumn('id', { cutLast: true }),
    {
      header: 'RESULT',
      show: (row) =>
        memberAt(row, 'ok') === true
          ? memberAt(row, 'unchanged') === true
            ? { text: 'unchanged', tone: 'quiet' }
            : { text: done, tone: 'good' }
          : stringAt(row, 'error.code') === 'not-sent'
            ? { text: 'not sent', tone: 'quiet' }
            : { text: 'failed', tone: 'bad' },
      cutLast: true,
    },
    { header: 'ERROR', show: text('error.message') },
  ],
});

/** A row for each, in order given; `-o id` prints only successes. Fails with the worst failure. */
export function outcomeResult(
  ctx: CommandContext,
  noun: string,
  outcomes: readonly Outcome[],
  done: string,
): Extract<Result, { kind: 'many' | 'nothing' }> {
  const failure = combinedFailure(outcomes);
  // An empty table would say that there are none of the noun, which is unknown here.
  if (outcomes.length === 0 && isTableOutput(ctx.output)) return { kind: 'nothing' };
  const shown = ctx.output.format === 'id' ? outcomes.filter((each) => each.failure === undefined) : outcomes;
  return { kind: 'many', view: outcomeView(noun, done), values: shown.map((each) => outcomeRow(ctx, each)), failure };
}

export const READS_SEVERAL = 'Several ids give an array with --json, and the worst exit code.';

export const eachSchema = (row: OutputSchema): OutputSchema => either(row, manyOf(either(OUTCOME, row)));

interface Reading {
  readonly view: View;
  readonly read: (word: string) => Promise<ApiAnswer>;
  readonly outcome?: (row: Json) => Pick<Result, 'exit' | 'notes'>;
  /** In a watch only a 404 is left out; any other failure is thrown. */
  readonly watched: boolean;
}

/** One word gives its document, several a row each (JSON: an outcome if unread). Failures are thrown last. */
export async function readEach(
  ctx: CommandContext,
  words: readonly string[],
  { view, read, outcome, watched }: Reading,
): Promise<Result> {
  const [only, ...others] = words;
  if (only !== undefined && others.length === 0) {
    const answer = await read(only);
    return { ...answerResult(view, answer), ...outcome?.(answer.value ?? null) };
  }
  const ended: { readonly id: string; readonly row?: Json; readonly failure?: Failure }[] = [];
  for (const id of words)
    try {
      ended.push({ id, row: (await read(id)).value ?? null });
    } catch (error) {
      rethrowUnlessFailure(error, ctx);
      if (watched && error.exit !== EXIT.notFound) throw error;
      ended.push({ id, failure: error });
    }
  const failure = combinedFailure(ended);
  const rows = ended.flatMap(({ row }) => (row === undefined ? [] : [row]));
  if (failure !== undefined && rows.length === 0) throw failure;
  const outcomes = rows.flatMap((row) => outcome?.(row) ?? []);
  const exit = worstExit([...outcomes.map((each) => each.exit ?? EXIT.done), ...(failure ? [failure.exit] : [])]);
  const values = isJsonFormat(ctx.output.format) ? ended.map(({ row, ...rest }) => row ?? outcomeRow(ctx, rest)) : rows;
  const notes = outcomes.flatMap((each) => each.notes ?? []);
  return { kind: 'many', view, values, exit, notes, failure: failure?.with({ exit }) };
}
