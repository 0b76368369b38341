/** The answers to the requests of an explanation. Each may fail on its own. */
import { type ApiRequest, isListRequest, type ListRequest } from '../../../core/api.ts';
import { type Failure, rethrowUnlessFailure } from '../../../core/failure.ts';
import { stringAt, jsonOrText, type Json } from '../../../core/json.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { readList } from '../../../cli/resource/pages/read-list.ts';
import type { Milliseconds } from '../../../core/unit-types.ts';

/** The answer to one request. `source` names the request: `GET /v2/pods/p1`. */
interface Known<T> {
  readonly known: true;
  readonly value: T;
  readonly source: string;
}

/** A request without a usable answer. */
export interface Unread {
  readonly known: false;
  readonly failure: Failure;
  readonly source: string;
}

export type Fact<T = Json> = Known<T> | Unread;

/** A log without a line for this time is considered empty. */
const LOG_IDLE_MS: Milliseconds = 1000;

/**
 * Sends a request once, without retries: a refusal is an answer here. A list is read whole. Fails only when the command
 * was interrupted.
 */
export const readFact = (ctx: CommandContext, request: ApiRequest | ListRequest): Promise<Fact> =>
  factOf(ctx, request, async () =>
    isListRequest(request)
      ? (await readList(ctx.api, { ...request, once: true })).document
      : ((await ctx.api.send({ ...request, once: true })).value ?? null),
  );

/** The last line of a log; undefined while it has none. */
export const readLastLine = (ctx: CommandContext, request: ApiRequest): Promise<Fact<string | undefined>> => {
  const last = { ...request, query: { ...request.query, tail: 1 }, once: true, idleTimeoutMs: LOG_IDLE_MS };
  return factOf(ctx, request, async () => {
    for await (const event of ctx.api.events(last)) return stringAt(jsonOrText(event.data), 'line') ?? event.data;
    return undefined;
  });
};

/** The last line of a log for which `isWanted` is true; undefined while there is none among its latest 100. */
export const readLastLineThat = (
  ctx: CommandContext,
  request: ApiRequest,
  isWanted: (line: string) => boolean,
): Promise<Fact<string | undefined>> =>
  factOf(ctx, request, async () => {
    let last: string | undefined;
    for await (const event of ctx.api.events({ ...request, once: true, idleTimeoutMs: LOG_IDLE_MS })) {
      const line = stringAt(jsonOrText(event.data), 'line');
      if (line !== undefined && isWanted(line)) last = line;
    }
    return last;
  });

async function factOf<T>(ctx: CommandContext, request: ApiRequest, read: () => Promise<T>): Promise<Fact<T>> {
  const source = sourceOf(request);
  try {
    return { known: true, value: await read(), source };
  } catch (error) {
    rethrowUnlessFailure(error, ctx);
    return { known: false, failure: error, source };
  }
}

function sourceOf({ method, path, query = {} }: ApiRequest): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${String(value)}`],
  );
  return `${method} /${path.join('/')}${given.length === 0 ? '' : `?${given.join('&')}`}`;
}

/** The value of a fact; undefined when it was not read. */
export const valueOf = <T>(fact: Fact<T> | undefined): T | undefined => (fact?.known === true ? fact.value : undefined);

/** True when a request failed with this status. */
export const hasStatus = (fact: Fact<unknown>, status: number): boolean =>
  !fact.known && fact.failure.status === status;
