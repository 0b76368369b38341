import type { Collection } from './model/collection.ts';
import type { CommandContext } from './model/context.ts';
import { manyOf, serviceObject, TEXT } from './model/output-schema.ts';
import { onlyWith, option, type Params, type ValuesOf } from './model/params.ts';
import { textColumn } from './resource/fields.ts';
import { withId } from './resource/targets.ts';
import { every } from './until.ts';
import { type ApiRequest, readRequest, type ServerEvent } from '../core/api.ts';
import { EXIT } from '../core/exit-codes.ts';
import { isInterrupt, messageOf, rethrowUnlessFailure, usage } from '../core/failure.ts';
import type { Id } from '../core/ids.ts';
import { isObject, type Json, type JsonObject, jsonOrText, stringAt, stringOf } from '../core/json.ts';
import { berth, type CommandLine, flags } from '../core/message.ts';
import { safeText, type SafeText, say } from '../core/safe-text.ts';
import type { EpochMs } from '../core/unit-types.ts';
import { formatDuration, parseTimestamp } from '../core/units.ts';
import { text } from '../output/cells.ts';
import { styled } from '../output/text/terminal-text.ts';
import { asksForData, type Result, type View } from '../output/view.ts';

/** The most that a service resends (contract rules, Pods: `tail`). */
const MAX_SEEN = 5000;

/** Drops events resent after a reconnect. Counted: identical events of one connection differ. */
export class SeenEvents {
  readonly #seen: string[] = [];
  #repeats = new Map<string, number>();
  #cursor: string | undefined;
  #count = 0;

  constructor(cursor?: string) {
    this.#cursor = cursor;
  }

  /** The last new event that had an id. */
  get cursor(): string | undefined {
    return this.#cursor;
  }

  get count(): number {
    return this.#count;
  }

  reconnect(): void {
    this.#repeats = new Map();
    for (const key of this.#seen) this.#repeats.set(key, (this.#repeats.get(key) ?? 0) + 1);
  }

  isNew(event: ServerEvent): boolean {
    const key = `${event.id ?? ''}\n${event.data}`;
    const left = this.#repeats.get(key) ?? 0;
    if (left > 0) {
      this.#repeats.set(key, left - 1);
      return false;
    }
    this.#seen.push(key);
    if (this.#seen.length > 2 * MAX_SEEN) this.#seen.splice(0, this.#seen.length - MAX_SEEN);
    this.#count += 1;
    if (event.id !== undefined && event.id !== '') this.#cursor = event.id;
    return true;
  }
}

/** Server-sent events (contract rules, Pods: logs). */
interface LogStream {
  readonly path: readonly string[];
  readonly id: string;
  /** False if the pod or worker is gone. Called when the server ends the stream. */
  readonly live: () => Promise<boolean>;
}

export interface LogQuery {
  readonly source: string | undefined;
  readonly tail: number | undefined;
  /** RFC 3339. */
  readonly since: string | undefined;
  readonly after: string | undefined;
  /** Only these lines. */
  readonly wanted?: (event: ServerEvent) => boolean;
  /** The last moment of a past log. */
  readonly untilMs?: EpochMs;
}

/** After this time without a line the connection may be dead, and another one is opened. */
const STREAM_IDLE_MS = 300_000;
const DRAIN_TIMEOUT_MS = 2000;
const MIN_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 30_000;
/** In a row, without a line between them. */
const MAX_BREAKS = 10;

/**
 * Yields every event once, as it comes. When a connection breaks or ends, opens another one after the last event, with a
 * growing backoff. Ends when the server ended the stream and no more lines can come. Fails as the first connection does;
 * later, after ten breaks without an event, with the failure of the last connection (7).
 */
async function* followLogs(ctx: CommandContext, stream: LogStream, query: LogQuery): AsyncGenerator<ServerEvent> {
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
        idleTimeoutMs: over ? DRAIN_TIMEOUT_MS : STREAM_IDLE_MS,
      });
      for await (const event of events) if (seenEvents.isNew(event) && (query.wanted?.(event) ?? true)) yield event;
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
    if (!over) await every(ctx, backoffMs(attempts, ctx.random()));
    seenEvents.reconnect();
  }
}

/** Half is random, so that clients do not reconnect at the same time. */
const backoffMs = (attempts: number, random: number): number =>
  Math.min(MAX_BACKOFF_MS, MIN_BACKOFF_MS * 2 ** attempts) * (0.5 + random / 2);

/** After the last event. Before any event, `tail: 0` resumes at the start time, so no line is lost. */
function resumed(query: LogQuery, { cursor }: SeenEvents, startedAt: number | undefined): LogQuery {
  if (cursor !== undefined) return { ...query, after: cursor };
  if (startedAt === undefined || query.tail !== 0) return query;
  return { ...query, tail: undefined, since: new Date(startedAt).toISOString() };
}

/** `Last-Event-ID` wins over `since`, and that over `tail`. */
export const logRequest = ({ path, id }: LogStream, { source, tail, since, after }: LogQuery): ApiRequest =>
  after === undefined
    ? readRequest(path, { id, query: { source, tail: since === undefined ? tail : undefined, since } })
    : readRequest(path, { id, query: { source }, headers: { 'Last-Event-ID': after } });

/** `clock`: local time of day; `utc`: as sent; `local`: with date and milliseconds; `relative`: age. */
const TIMES = ['clock', 'utc', 'local', 'relative', 'none'] as const;
type Times = (typeof TIMES)[number];

/** Default: `clock` on a terminal, else as sent. */
export const timesOf = (
  { terminal }: Pick<CommandContext, 'terminal'>,
  { times }: { readonly times: string | undefined },
): Times => TIMES.find((each) => each === times) ?? (terminal.output ? 'clock' : 'utc');

/** Data that is not a JSON object becomes the line's text. */
export function rowOf({ data }: ServerEvent): JsonObject {
  const row = jsonOrText(data);
  return isObject(row) ? row : { line: data };
}

/** `now`: the service's time. */
export function lineText(row: JsonObject, times: Times, now: EpochMs): SafeText {
  const line = stringOf(row['line'])?.replace(/\r?\n?$/, '') ?? '';
  const time = timeText(stringOf(row['ts']), times, now);
  const words = [...(time === undefined ? [] : [safeText(time)]), safeText(word(row['source'])).padEnd(9)];
  return say`${words.join(' ')} ${line}`;
}

const word = (value: Json | undefined): string => stringOf(value) ?? '-';

/** Invalid times are shown as sent. */
function timeText(given: string | undefined, times: Times, now: EpochMs): string | undefined {
  if (times === 'none') return undefined;
  const time = Date.parse(given ?? '');
  if (times === 'utc' || Number.isNaN(time)) return given ?? '-';
  if (times === 'relative') return formatDuration(Math.floor(Math.max(0, now - time) / 1000) * 1000).padStart(7);
  const at = new Date(time);
  const two = (value: number): string => String(value).padStart(2, '0');
  const dateOf = (day: Date): string => `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
  const date = dateOf(at);
  const clock = [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':');
  // Otherwise a line of another day would look like one of today.
  if (times === 'clock') return date === dateOf(new Date(now)) ? clock : `${date} ${clock}`;
  return `${date} ${clock}.${String(at.getMilliseconds()).padStart(3, '0')}`;
}

/** Contract rules, Pods: logs. */
export const logView: View = {
  noun: ['line', 'lines'],
  id: text('ts'),
  members: ['ts', 'source', 'line'],
  columns: [{ header: 'TIME', show: text('ts') }, textColumn('source'), textColumn('line')],
};

export const LOG_LINES = manyOf(serviceObject({}, { log: TEXT, ts: TEXT, source: TEXT, line: TEXT }));

/** Default, and the maximum of the contract (LogTail). */
const DEFAULT_TAIL = 100;
const MAX_TAIL = 5000;
/** Without --follow. */
const IDLE_TIMEOUT_MS = 2000;

export const LOG_OPTIONS = {
  follow: option.on('go on as lines are written, across broken connections, until Ctrl-C', { short: '-f' }),
  source: option.choice('only lines of the container, or of the system around it', ['container', 'system']),
  tail: option.count('begin with the last N lines, at most 5000 (default 100)', 0, { most: MAX_TAIL }),
  since: option.text('begin at a moment: 2026-01-31T12:00:00Z, or 10m for 10 minutes ago', { metavar: 'TIME' }),
  until: onlyWith(['since', 'after'], option.text('end at a moment, written as for --since', { metavar: 'TIME' })),
  search: option.text('only lines that contain this text'),
  regex: onlyWith(['search'], option.on('read --search as a regular expression')),
  times: option.choice('how to print times (default clock on a terminal, else utc)', TIMES, { metavar: 'WORD' }),
  after: option.text('go on after this event: what an earlier run ended with', { metavar: 'CURSOR' }),
} as const satisfies Params;

export const LOG_DETAILS =
  'Without --follow it ends when no line has come for 2 seconds; with it, at the end of the log or with Ctrl-C. It resumes after broken connections.';

export interface LogTarget<N extends string> {
  readonly lookup: Collection<N>;
  readonly given: string;
  readonly stream: (id: Id<N>) => LogStream;
  readonly command: CommandLine;
}

/** Usage (2), not-found (4), unavailable (7). Ctrl-C of a followed log exits 130 without a message. */
export async function showLogs<N extends string>(
  ctx: CommandContext,
  target: LogTarget<N>,
  values: ValuesOf<typeof LOG_OPTIONS>,
): Promise<Result> {
  const query = await readQuery(ctx, values);
  const goOn = (cursor: string | undefined): void => {
    ctx.setResumeCommand(goOnLine(target.command, values, cursor));
  };
  goOn(query.after);
  const { first, events } = await openLog(ctx, target, query, values.follow);
  const print = printer(ctx, timesOf(ctx, values));
  try {
    for (let next = first; next.done !== true; next = await events.next()) {
      await print.line(next.value);
      if (next.value.id !== undefined) goOn(next.value.id);
    }
  } catch (error) {
    if (values.follow && isInterrupt(error)) return { kind: 'nothing', exit: error.exit };
    throw error;
  } finally {
    // Closes the connection, even if printing failed.
    await events.return(undefined);
    await print.close();
  }
  ctx.setResumeCommand(undefined);
  return { kind: 'nothing' };
}

/** Waits for the first event. Fails as the connection does. */
export async function openLog<N extends string>(
  ctx: CommandContext,
  { lookup, given, stream }: LogTarget<N>,
  query: LogQuery,
  follow: boolean,
) {
  return await withId(ctx, lookup, given, async (id) => {
    const events = (follow ? followLogs : pastLogs)(ctx, stream(id), query);
    return { first: await events.next(), events };
  });
}

/** Ends when the tail is complete, at the idle timeout, or at a line newer than the request. */
async function* pastLogs(ctx: CommandContext, stream: LogStream, query: LogQuery): AsyncGenerator<ServerEvent> {
  const start = ctx.clock.monotonic();
  const startDate = ctx.serviceNow();
  const wanted = query.since === undefined && query.after === undefined ? (query.tail ?? DEFAULT_TAIL) : Infinity;
  if (wanted === 0) return;
  let count = 0;
  for await (const event of ctx.api.events({ ...logRequest(stream, query), idleTimeoutMs: IDLE_TIMEOUT_MS })) {
    if (timeOf(event) > (query.untilMs ?? Infinity)) return;
    if (query.wanted?.(event) ?? true) yield event;
    count += 1;
    const isPast = ctx.clock.monotonic() - start < IDLE_TIMEOUT_MS || !(timeOf(event) > startDate + IDLE_TIMEOUT_MS);
    if (count >= wanted || !isPast) return;
  }
}

export const timeOf = (event: ServerEvent): number => Date.parse(stringAt(rowOf(event), 'ts') ?? '');

export async function readQuery(ctx: CommandContext, values: ValuesOf<typeof LOG_OPTIONS>): Promise<LogQuery> {
  if (values.follow && values.until !== undefined) throw usage('use either --follow or --until');
  const search = searchOf(values);
  const now = values.since === undefined && values.until === undefined ? ctx.serviceNow() : await ctx.fetchServiceNow();
  const given = Object.entries({ tail: values.tail, since: values.since, after: values.after });
  const [first, second] = given.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`]));
  if (second !== undefined) throw usage(`${first ?? ''} and ${second} exclude each other`, 'Keep one of them.');
  return {
    source: values.source,
    tail: values.tail,
    since: values.since === undefined ? undefined : parseTimestamp(values.since, '--since', { now }).text,
    after: values.after,
    ...(search && { wanted: (event) => search(stringOf(rowOf(event)['line']) ?? '') }),
    ...(values.until !== undefined && { untilMs: Date.parse(parseTimestamp(values.until, '--until', { now }).text) }),
  };
}

/** Usage (2) for an invalid expression. */
function searchOf({ search, regex }: ValuesOf<typeof LOG_OPTIONS>): ((line: string) => boolean) | undefined {
  if (search === undefined) return undefined;
  if (!regex) return (line) => line.includes(search);
  try {
    const expression = new RegExp(search, 'u');
    return (line) => expression.test(line);
  } catch (error) {
    throw usage(`invalid --search: ${messageOf(error)}`, 'Leave --regex out to search for plain text.');
  }
}

/** The flags of a printed command that goes on. */
export const keptFlags = ({ follow, source, search, regex }: ValuesOf<typeof LOG_OPTIONS>): readonly string[] => [
  ...(follow ? ['--follow'] : []),
  ...(source === undefined ? [] : ['--source', source]),
  ...(search === undefined ? [] : ['--search', search]),
  ...(regex ? ['--regex'] : []),
];

function goOnLine(command: CommandLine, values: ValuesOf<typeof LOG_OPTIONS>, cursor: string | undefined): CommandLine {
  return berth`${command} ${flags([...keptFlags(values), ...(cursor === undefined ? [] : ['--after', cursor])])}`;
}

interface Printer {
  line(event: ServerEvent): Promise<void>;
  close(): Promise<void>;
}

function printer(ctx: CommandContext, times: Times): Printer {
  if (!asksForData(ctx.output))
    return {
      line: (event) => ctx.stdout.write(styled`${lineText(rowOf(event), times, ctx.serviceNow())}\n`),
      close: () => Promise.resolve(),
    };
  const rows = ctx.rows(logView);
  return { line: (event) => rows.row(rowOf(event)), close: () => rows.close() };
}
