import { readRequest, type ApiRequest, type ServerEvent } from '../../../core/api.ts';
import { EXIT } from '../../../core/exit-codes.ts';
import { rethrowUnlessFailure } from '../../../core/failure.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { SeenEvents } from './seen-events.ts';

/** A log as a stream of server-sent events (contract rules, Pods: logs). */
export interface LogStream {
  readonly path: readonly string[];
  readonly id: string;
  /** Whether more lines may come; false where the pod or worker is gone. Called when the server ends the stream. */
  readonly live: () => Promise<boolean>;
}

export interface LogQuery {
  readonly source: string | undefined;
  readonly tail: number | undefined;
  /** RFC 3339. */
  readonly since: string | undefined;
  /** The id of an event: only events after it. */
  readonly after: string | undefined;
}

/** After this time without a line the connection may be dead, and another one is opened. */
const IDLE_TIMEOUT_MS = 300_000;
/** The idle timeout for the last lines of a log that has ended. */
const DRAIN_TIMEOUT_MS = 2000;
/** The backoff between two connections doubles from the first to the longest. */
const MIN_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 30_000;
/** After so many broken connections in a row, without a line between them, following fails. */
const MAX_BREAKS = 10;

/**
 * Yields every event once, as it comes. When a connection breaks or ends, opens another one after the last event, with a
 * growing backoff. Ends when the server ended the stream and no more lines can come. Fails as the first connection does;
 * later, after ten breaks without an event, with the failure of the last connection (7).
 */
export async function* followLogs(
  ctx: CommandContext,
  stream: LogStream,
  query: LogQuery,
): AsyncGenerator<ServerEvent> {
  const seenEvents = new SeenEvents(query.after);
  const startedAt = ctx.serviceNow();
  let connected = false;
  let over = false;
  let breaks = 0;
  let attempts = 0;
  for (;;) {
    const before = seenEvents.count;
    try {
      const events = ctx.api.events({
        ...logRequest(stream, resumed(query, seenEvents, connected ? startedAt : undefined)),
        idleTimeoutMs: over ? DRAIN_TIMEOUT_MS : IDLE_TIMEOUT_MS,
      });
      for await (const event of events) if (seenEvents.isNew(event)) yield event;
      connected = true;
      if (over && seenEvents.count === before) return;
      over = !(await stream.live());
      breaks = 0;
      // Lines written between the last event and that check are read by one more connection.
    } catch (error) {
      rethrowUnlessFailure(error, ctx);
      connected ||= seenEvents.count > 0 || error.code === 'stream-broken';
      if (connected && error.exit === EXIT.notFound) return;
      if (!connected || error.exit !== EXIT.unavailable) throw error;
      breaks = seenEvents.count > before ? 1 : breaks + 1;
      if (breaks >= MAX_BREAKS)
        throw error.with({ message: `${error.message} (the connection broke ${breaks} times in a row)` });
      if (ctx.terminal.errors) await ctx.tell(`${error.message}; going on after the last line`);
    }
    attempts = seenEvents.count > before ? 0 : attempts + 1;
    if (!over) await ctx.clock.sleep(backoffMs(attempts, ctx.random()), ctx.signal);
    seenEvents.reconnect();
  }
}

/** Half of the backoff is random, so that many clients of one server do not reconnect at the same time. */
const backoffMs = (attempts: number, random: number): number =>
  Math.min(MAX_BACKOFF_MS, MIN_BACKOFF_MS * 2 ** attempts) * (0.5 + random / 2);

/**
 * The query of the next connection: after the last event. Without an event yet, the query as given; with `tail: 0`, from
 * the start of the first connection, so that no line is lost between two connections.
 */
function resumed(query: LogQuery, { cursor }: SeenEvents, startedAt: number | undefined): LogQuery {
  if (cursor !== undefined) return { ...query, after: cursor };
  if (startedAt === undefined || query.tail !== 0) return query;
  return { ...query, tail: undefined, since: new Date(startedAt).toISOString() };
}

/** The request for a log; `Last-Event-ID` wins over `since`, and that over `tail`. */
export const logRequest = ({ path, id }: LogStream, { source, tail, since, after }: LogQuery): ApiRequest =>
  after === undefined
    ? readRequest(path, { id, query: { source, tail: since === undefined ? tail : undefined, since } })
    : readRequest(path, { id, query: { source }, headers: { 'Last-Event-ID': after } });
