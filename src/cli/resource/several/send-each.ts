import type { ApiAnswer, ApiRequest } from '../../../core/api.ts';
import { Failure } from '../../../core/failure.ts';
import type { Absence } from '../../../core/not-there-yet.ts';
import { asId, type Id } from '../../../core/ids.ts';
import { stringAt } from '../../../core/json.ts';
import type { CommandContext } from '../../model/context.ts';
import type { Collection } from '../../model/collection.ts';
import { combinedFailure } from './combined-failure.ts';
import { dryRunNote, identifyNow, sendTo } from '../identity/identify.ts';
import { askAgain } from '../../run/ask-again.ts';
import type { Outcome } from './outcomes.ts';

/** One of several requests, each about a resource that the user named by an id or a name. */
export interface EachRequest<N extends string> {
  readonly given: string;
  /** Its name in messages and results, if that is not the resource: a job of an endpoint. */
  readonly label?: string;
  /** Its name, where it was read before. */
  readonly name?: string | undefined;
  /** The failure of reading it before: no request is sent for it. */
  readonly failure?: Failure | undefined;
  /** Decides about the 404s of what `label` names, as for `askAgain`. */
  readonly absence?: () => Promise<Absence | undefined>;
  readonly request: (id: Id<N>) => ApiRequest;
}

/** How one of several requests went: its answer with the id it was sent to, or its failure. */
export type Sent<N extends string = string> = Pick<Outcome, 'id' | 'name' | 'status' | 'unchanged'> &
  (
    | { readonly known: Id<N>; readonly answer: ApiAnswer; readonly failure?: undefined }
    | { readonly answer?: undefined; readonly failure: Failure }
  );

/**
 * Sends requests one after the other; where two words name one thing, by its id and its name, one for both. A failure does not
 * stop the rest. An interrupt does: the requests that were not sent yet fail with not-sent, so that the outcomes of the earlier
 * ones are still printed. A dry run prints the requests, and ends with the failures of those that would not be sent.
 */
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
          : await askAgain(ctx, label, absence, () => sendTo(ctx, collection, given, once, identifyNow));
      acted.add(known);
      // A word that is not the id is the name.
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

/** The request for this thing was sent for an earlier word, which names it too. */
class AlreadySent extends Error {}

/** What an answer tells about its resource: its name and status, where it has them. */
export const shownOf = ({ value }: ApiAnswer, name?: string): Pick<Outcome, 'name' | 'status'> => ({
  name: stringAt(value, 'name') ?? name,
  status: stringAt(value, 'status'),
});

/** The failure of a request that was not sent because of an interrupt, with the exit code of the interrupt. */
function notSent(reason: unknown): Failure {
  if (!(reason instanceof Failure)) throw reason;
  return reason.with({ code: 'not-sent', message: `not sent: ${reason.message}` });
}
