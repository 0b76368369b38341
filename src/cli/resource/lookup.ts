import type { ApiAnswer, ApiRequest } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, usage } from '../../core/failure.ts';
import { arrayOf, memberAt, stringOf, type Json } from '../../core/json.ts';
import { safeText } from '../../core/safe-text.ts';
import type { CommandContext } from '../context.ts';
import { DryRun } from '../run/dry-run.ts';
import { countOf, pluralOf } from '../words.ts';

/** Where a kind of thing is listed, so that a name can stand for its id. */
export interface Lookup {
  /** Singular, lower case: `pod`. */
  readonly noun: string;
  readonly path: readonly string[];
  /** The member of the answer that holds the rows. */
  readonly member: string;
  /** The words of the command that lists them, where it is not `PLURAL list`. */
  readonly listed?: string;
}

/** The command that lists a kind of thing: `berth pods list`. */
export const listLine = ({ noun, listed }: Lookup): string => `berth ${listed ?? `${pluralOf(noun)} list`}`;

/**
 * Does something with what the user named. The word is taken for an id first, so that an id costs no extra request;
 * only when the service answers 404 is it looked up as a name. Ambiguous names end 2 and list the candidates; one that
 * is nowhere stays the service's 404, and says where to look. `use` may run twice, the first time with no effect.
 */
export async function withId<T>(
  ctx: CommandContext,
  lookup: Lookup,
  given: string,
  use: (id: string) => Promise<T>,
): Promise<T> {
  try {
    return await use(given);
  } catch (error) {
    if (error instanceof DryRun) await ctx.tell(aboutNames(given));
    if (!(error instanceof Failure) || error.exit !== EXIT.notFound || ctx.dryRun) throw error;
    let trouble: Failure | undefined;
    const id = await idNamed(ctx, lookup, given, (failure) => {
      trouble = failure;
    });
    if (id === undefined)
      throw error.with({ hint: trouble === undefined ? notThere(lookup) : notLookedUp(lookup, given, trouble) });
    return await use(id);
  }
}

/** A dry run looks nothing up, so it cannot tell a name from an id. */
const aboutNames = (...given: readonly string[]): string =>
  `If ${given.join(' or ')} is a name, the id it stands for is looked up first and goes into the request.`;

const notThere = (lookup: Lookup): string =>
  `No ${lookup.noun} has this id or name: see ${listLine(lookup)}. Another account? berth auth status.`;

const notLookedUp = (lookup: Lookup, given: string, trouble: Failure): string =>
  `No ${lookup.noun} has the id ${safeText(given)}. Whether one has this name could not be looked up: ${trouble.message}\nTry again, or see ${listLine(lookup)}`;

/** What of several requests came back: each with its answer or its failure. */
export interface Sent {
  /** As the user named it. */
  readonly given: string;
  readonly answer?: ApiAnswer;
  readonly failure?: Failure;
}

/** One of several things to do something to: the word that may be a name, and the request once the id is known. */
export interface Target {
  readonly given: string;
  /** What it is called in messages, where that is not the word itself: a job of an endpoint. */
  readonly label?: string;
  readonly request: (id: string) => ApiRequest;
}

/** Sends one after the other; a failure does not stop the rest, an interrupt does. A dry run prints them all. */
export async function sendEach(
  ctx: CommandContext,
  lookup: Lookup,
  targets: readonly Target[],
): Promise<readonly Sent[]> {
  if (ctx.dryRun) {
    await ctx.tell(aboutNames(...new Set(targets.map(({ given }) => given))));
    return await ctx.previewAll(targets.map(({ given, request }) => request(given)));
  }
  const sent: Sent[] = [];
  for (const { given, label = given, request } of targets) {
    try {
      sent.push({ given: label, answer: await withId(ctx, lookup, given, (id) => ctx.api.send(request(id))) });
    } catch (error) {
      if (!(error instanceof Failure) || ctx.signal.aborted) throw error;
      sent.push({ given: label, failure: error });
    }
  }
  return sent;
}

/** What of several did not go through, as one failure with the code and the exit code of the first; else undefined. */
export function failureAmong(sent: readonly Sent[]): Failure | undefined {
  const failed = sent.flatMap(({ given, failure }) => (failure === undefined ? [] : [{ given, failure }]));
  const [first] = failed;
  if (first === undefined) return undefined;
  return new Failure({
    code: first.failure.code,
    exit: first.failure.exit,
    message: `${String(failed.length)} of ${String(sent.length)} did not go through`,
    hint: [...new Set(failed.flatMap(({ failure }) => failure.hint?.split('\n') ?? []))].join('\n') || undefined,
    errors: failed.map(({ given, failure }) => `${given}: ${failure.message}`),
  });
}

/**
 * The id of the one thing of that name. The list is a courtesy: where it cannot be had (`onTrouble` is told why), or has
 * no such name, it is undefined, and what was known before counts. Fails with usage (2) and the candidates where several are named so.
 */
export async function idNamed(
  ctx: CommandContext,
  lookup: Lookup,
  name: string,
  onTrouble?: (failure: Failure) => void,
): Promise<string | undefined> {
  let rows: readonly Json[];
  try {
    const answer = await ctx.api.send({
      service: 'base',
      method: 'GET',
      path: lookup.path,
      expects: { list: lookup.member },
    });
    rows = arrayOf(memberAt(answer.value, lookup.member)) ?? [];
  } catch (error) {
    // An interrupt is still one.
    if (ctx.signal.aborted || !(error instanceof Failure)) throw error;
    onTrouble?.(error);
    return undefined;
  }
  const found = rows.filter((row) => memberAt(row, 'name') === name);
  const ids = found.flatMap((row) => stringOf(memberAt(row, 'id')) ?? []);
  if (ids.length > 1)
    throw usage(
      `${countOf(ids.length, lookup.noun)} are named ${JSON.stringify(safeText(name))}`,
      `Use an id: ${ids.map((each) => safeText(each)).join(', ')}`,
    );
  return ids[0];
}
