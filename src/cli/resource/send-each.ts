import type { ApiAnswer, ApiRequest } from '../../core/api.ts';
import { Failure } from '../../core/failure.ts';
import { asId, type Id } from '../../core/ids.ts';
import type { CommandContext } from '../context.ts';
import type { Collection } from './identity/collection.ts';
import { dryRunNote, sendTo } from './identity/identify.ts';

/** One of several requests, each about a resource that the user named by an id or a name. */
export interface Target<N extends string> {
  readonly given: string;
  /** What it is called in messages, if that is not the word itself: a job of an endpoint. */
  readonly label?: string;
  readonly request: (id: Id<N>) => ApiRequest;
}

/** The outcome of one of several requests: its answer with the id it was sent to, or its failure. */
export type Outcome<N extends string = string> =
  | { readonly label: string; readonly id: Id<N>; readonly answer: ApiAnswer; readonly failure?: undefined }
  | { readonly label: string; readonly answer?: undefined; readonly failure: Failure };

/** Sends requests one after the other; a failure does not stop the rest, an interrupt does. A dry run prints them all. */
export async function sendEach<N extends string>(
  ctx: CommandContext,
  collection: Collection<N>,
  targets: readonly Target<N>[],
): Promise<readonly Outcome<N>[]> {
  if (ctx.dryRun) {
    await ctx.tell(dryRunNote([...new Set(targets.map(({ given }) => given))]));
    return await ctx.previewAll(targets.map(({ given, request }) => request(asId(given))));
  }
  const outcomes: Outcome<N>[] = [];
  for (const { given, label = given, request } of targets) {
    try {
      outcomes.push({ label, ...(await sendTo(ctx, collection, given, request)) });
    } catch (error) {
      if (!(error instanceof Failure) || ctx.signal.aborted) throw error;
      outcomes.push({ label, failure: error });
    }
  }
  return outcomes;
}

/**
 * The failed ones of several requests as one failure, with the code and the exit code of the first; undefined if none
 * failed.
 */
export function combinedFailure(outcomes: readonly Outcome[]): Failure | undefined {
  const failed = outcomes.flatMap(({ label, failure }) => (failure === undefined ? [] : [{ label, failure }]));
  const [first] = failed;
  if (first === undefined) return undefined;
  return new Failure({
    code: first.failure.code,
    exit: first.failure.exit,
    message: `${String(failed.length)} of ${String(outcomes.length)} did not go through`,
    hint: [...new Set(failed.flatMap(({ failure }) => failure.hint?.split('\n') ?? []))].join('\n') || undefined,
    errors: failed.map(({ label, failure }) => `${label}: ${failure.message}`),
  });
}
