import type { ApiRequest, ServerEvent } from '../../../core/api.ts';
import { EXIT } from '../../../core/exit-codes.ts';
import { Failure } from '../../../core/failure.ts';
import type { CommandContext } from '../../../cli/context.ts';
import { createSeenEvents, type SeenEvents } from './seen-events.ts';

/** Something that logs, as a stream of server-sent events (contract rules, Pods: logs). */
export interface LogStream {
  readonly path: readonly string[];
  readonly id: string;
  /** Whether more lines may come. Asked only when the server ended the stream; false where it is gone. */
  readonly live: () => Promise<boolean>;
}

export interface LogQuery {
  readonly source: string | undefined;
  readonly tail: number | undefined;
  /** RFC 3339. */
  readonly since: string | undefined;
  /** The id of an event: only what came after it. */
  readonly after: string | undefined;
}

/** A connection without a line for so long may be dead without a word; another one is opened: milliseconds. */
const DEAD_AFTER_MS = 300_000;
/** What is left to be had of a log that is over comes at once: milliseconds. */
const REST_MS = 2000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** Breaks in a row, without a line between them, after which it is given up. */
const MOST_BREAKS = 10;

/**
 * Every event, once, as it comes: a connection that breaks or ends is replaced by another that goes on after the last
 * event, with pauses that grow. Ends when the server ended the stream and nothing more can come. Fails as the first
 * connection does; later with `stream-broken` or what a reconnect ends with (7) after ten breaks without an event.
 */
export async function* followLogs(
  ctx: CommandContext,
  stream: LogStream,
  query: LogQuery,
): AsyncGenerator<ServerEvent> {
  const seenEvents = createSeenEvents(query.after);
  const startedAt = ctx.serviceNow();
  let connected = false;
  let over = false;
  let breaks = 0;
  let pauses = 0;
  for (;;) {
    const before = seenEvents.count;
    try {
      const events = ctx.api.events({
        ...logRequest(stream, resumed(query, seenEvents, connected ? startedAt : undefined)),
        idleTimeoutMs: over ? REST_MS : DEAD_AFTER_MS,
      });
      for await (const event of events) if (seenEvents.isNew(event)) yield event;
      connected = true;
      if (over && seenEvents.count === before) return;
      over = !(await stream.live());
      breaks = 0;
      // What came between the last line and that look is still to be had: one more connection takes it.
    } catch (error) {
      if (!(error instanceof Failure) || ctx.signal.aborted) throw error;
      connected ||= seenEvents.count > 0 || error.code === 'stream-broken';
      if (connected && error.exit === EXIT.notFound) return;
      if (!connected || error.exit !== EXIT.unavailable) throw error;
      breaks = seenEvents.count > before ? 1 : breaks + 1;
      if (breaks >= MOST_BREAKS)
        throw error.with({ message: `${error.message} (the connection broke ${String(breaks)} times in a row)` });
      if (ctx.terminal.errors) await ctx.tell(`${error.message}; going on after the last line`);
    }
    pauses = seenEvents.count > before ? 0 : pauses + 1;
    if (!over) await ctx.clock.sleep(pauseMs(pauses, ctx.random()), ctx.signal);
    seenEvents.reconnect();
  }
}

/** Half of it by chance, so that many who lost the same server do not come back at once. */
const pauseMs = (pauses: number, random: number): number =>
  Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** pauses) * (0.5 + random / 2);

/**
 * Where the next connection begins: after the last event; where none came yet, as it was asked for, but nothing that
 * was written since may fall between two connections.
 */
function resumed(query: LogQuery, { cursor }: SeenEvents, startedAt: number | undefined): LogQuery {
  if (cursor !== undefined) return { ...query, after: cursor };
  if (startedAt === undefined || query.tail !== 0) return query;
  return { ...query, tail: undefined, since: new Date(startedAt).toISOString() };
}

/** The request for a log; `Last-Event-ID` wins over `since`, and that over `tail`. */
export const logRequest = ({ path, id }: LogStream, { source, tail, since, after }: LogQuery): ApiRequest => ({
  service: 'base',
  method: 'GET',
  path,
  id,
  query: after === undefined ? { source, tail: since === undefined ? tail : undefined, since } : { source },
  ...(after === undefined ? {} : { headers: { 'Last-Event-ID': after } }),
});
