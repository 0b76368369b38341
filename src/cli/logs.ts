/** Logs of pods and workers, past or followed. One log is several of one. */
import type { Collection } from './model/collection.ts';
import type { CommandContext } from './model/context.ts';
import { manyOf, serviceObject, TEXT } from './model/output-schema.ts';
import { onlyWith, option, type Params, type ValuesOf } from './model/params.ts';
import { textColumn } from './resource/fields.ts';
import { withId } from './resource/targets.ts';
import { every } from './until.ts';
import { readRequest, type ServerEvent } from '../core/api.ts';
import { EXIT } from '../core/exit-codes.ts';
import { Failure, isInterrupt, isNotFound, messageOf, rethrowUnlessFailure, usage } from '../core/failure.ts';
import type { Id } from '../core/ids.ts';
import { isObject, type JsonObject, jsonOrText, stringAt, stringOf } from '../core/json.ts';
import { berth, type CommandLine, flags } from '../core/message.ts';
import { safeText, type TerminalText } from '../core/safe-text.ts';
import type { EpochMs } from '../core/unit-types.ts';
import { formatDuration, parseTimestamp } from '../core/units.ts';
import { text } from '../output/cells.ts';
import { styled } from '../output/text/terminal-text.ts';
import { asksForData, type Result, type View } from '../output/view.ts';

/** The most that a service resends (contract rules, Pods: `tail`), and what it sends without `tail`. */
const [MAX_TAIL, DEFAULT_TAIL] = [5000, 100];

/** `clock`: local time of day; `utc`: as sent; `relative`: age. */
const TIMES = ['clock', 'utc', 'relative', 'none'] as const;
type Times = (typeof TIMES)[number];

export const LOG_OPTIONS = {
  follow: option.on('go on as lines are written, across broken connections, until Ctrl-C', {
    short: '-f',
    unless: ['until'],
  }),
  source: option.choice('only lines of the container, or of the system around it', ['container', 'system']),
  tail: option.count('begin with the last N lines, at most 5000 (default 100)', 0, {
    most: MAX_TAIL,
    unless: ['since', 'after'],
  }),
  since: option.text('begin at a moment: 2026-01-31T12:00:00Z, or 10m for 10 minutes ago', {
    metavar: 'TIME',
    unless: ['after'],
  }),
  until: onlyWith(['since', 'after'], option.text('end at a moment, written as for --since', { metavar: 'TIME' })),
  search: option.text('only lines that contain this text'),
  regex: onlyWith(['search'], option.on('read --search as a regular expression')),
  times: option.choice('how to print times (default clock on a terminal, else utc)', TIMES),
  after: option.text('go on after this event: what an earlier run ended with', { metavar: 'CURSOR' }),
} as const satisfies Params;

type LogValues = ValuesOf<typeof LOG_OPTIONS>;

export const LOG_DETAILS =
  'Without --follow it ends when no line has come for 2 seconds; with it, at the end of the log or with Ctrl-C. It resumes after broken connections.';

export const LOG_LINES = manyOf(serviceObject({}, { log: TEXT, ts: TEXT, source: TEXT, line: TEXT }));

/** Contract rules, Pods: logs. */
const logView: View = {
  noun: ['line', 'lines'],
  id: (row) => text(row, 'ts'),
  members: ['ts', 'source', 'line'],
  columns: [{ header: 'TIME', show: (row) => text(row, 'ts') }, textColumn('source'), textColumn('line')],
};

/** Server-sent events (contract rules, Pods: logs). */
interface LogStream {
  readonly path: readonly string[];
  readonly id: string;
  /** False if the pod or worker is gone. Called when the server ends the stream. */
  readonly live: () => Promise<boolean>;
}

export interface Log<N extends string = string> {
  readonly lookup: Collection<N>;
  readonly given: string;
  /** Before each line where there are several. */
  readonly name: string;
  readonly stream: (id: Id<N>) => LogStream;
}

/** `since` is RFC 3339. */
interface Query extends Pick<LogValues, 'source' | 'tail' | 'since' | 'after'> {
  readonly isWanted: (event: ServerEvent) => boolean;
  readonly untilMs: EpochMs;
}

/** Each one holds a connection. */
const MAX_LOGS = 50;
const MORE_EVERY_MS = 5000;

/** `at` is the number of its log. */
interface Line {
  readonly at: number;
  readonly event: ServerEvent;
}

/** Several by time, each line with its log; one that fails is reported, and its failure is thrown at the end. */
export async function showLogs<N extends string>(
  ctx: CommandContext,
  logs: readonly Log<N>[],
  values: LogValues,
  how: {
    /** Of a single log: the command without flags, which is printed with an event to go on after. */
    readonly command?: CommandLine;
    /** Lists the logs that there are now: with --follow new ones are followed too, and the end of each is reported. */
    readonly more?: () => Promise<readonly Log<N>[]>;
  },
): Promise<Result> {
  const { follow, after } = values;
  const areSeveral = how.command === undefined;
  const more = follow ? how.more : undefined;
  if (areSeveral && after !== undefined) throw usage('--after needs a single log', 'Use --since for several.');
  if (logs.length > MAX_LOGS && more === undefined)
    throw usage(`${logs.length} logs are too many: at most ${MAX_LOGS} at once`, 'Name fewer.');
  const query = await readQuery(ctx, values);
  const names: string[] = logs.map(({ name }) => name);
  const print = await printer(ctx, areSeveral ? names : undefined, values.times);
  const past: Line[] = [];
  const failures: Failure[] = [];
  const take = async (line: Line): Promise<void> => {
    if (areSeveral && !follow) return void past.push(line);
    await print.line(line);
    const { id } = line.event;
    if (how.command && id !== undefined)
      ctx.setResumeCommand(berth`${how.command} ${flags([...keptFlags(values), '--after', id])}`);
  };
  let reading = 0;
  const read = async (log: Log<N>, at: number, from: Query): Promise<void> => {
    reading += 1;
    try {
      const { first, events } = await withId(ctx, log.lookup, log.given, async (id) => {
        const opened = (follow ? followedEvents : pastEvents)(ctx, log.stream(id), from);
        return { first: await opened.next(), events: opened };
      });
      if (first.done !== true) await take({ at, event: first.value });
      for await (const event of events) await take({ at, event });
      if (more) await ctx.tell(`${log.name} ended`);
    } catch (error) {
      if (!areSeveral || !(error instanceof Failure) || ctx.signal.aborted || error.exit === EXIT.done) throw error;
      if (isNotFound(error) && how.more !== undefined) return;
      failures.push(error);
      await ctx.tell(`${log.name}: ${error.message}`);
    } finally {
      reading -= 1;
    }
  };
  // What ends one of them, such as a closed pipe, ends all.
  const stop = new AbortController();
  const signal = AbortSignal.any([ctx.signal, stop.signal]);
  const start = (log: Log<N>, at: number, from = query) => {
    const reading = read(log, at, from);
    reading.catch(stop.abort.bind(stop));
    return reading;
  };
  try {
    const started = logs.slice(0, MAX_LOGS).map((log, at) => start(log, at));
    for (let list = more; list !== undefined;) {
      await every(ctx, MORE_EVERY_MS, { signal });
      const listed = await list().catch((error: unknown) => {
        rethrowUnlessFailure(error, ctx);
        // Gone with all its logs; anything else may pass.
        if (isNotFound(error)) list = undefined;
        return [];
      });
      for (const log of listed)
        if (!names.includes(log.name) && reading < MAX_LOGS)
          started.push(start(log, names.push(log.name) - 1, { ...query, since: undefined, tail: MAX_TAIL }));
    }
    await Promise.all(started);
    past.sort((a, b) => timeOf(a.event) - timeOf(b.event) || a.at - b.at);
    for (const line of past) await print.line(line);
  } catch (error) {
    if (follow && isInterrupt(error)) return { kind: 'nothing', exit: error.exit };
    throw error;
  } finally {
    await print.close();
  }
  ctx.setResumeCommand(undefined);
  return { kind: 'nothing', failure: failures[0] };
}

const timeOf = (event: ServerEvent): number => Date.parse(stringAt(rowOf(event), 'ts') ?? '');

const keptFlags = ({ follow, source, search, regex }: LogValues): readonly string[] => [
  ...(follow ? ['--follow'] : []),
  ...(source === undefined ? [] : ['--source', source]),
  ...(search === undefined ? [] : ['--search', search]),
  ...(regex ? ['--regex'] : []),
];

async function readQuery(ctx: CommandContext, values: LogValues): Promise<Query> {
  const { source, tail, since, until, after } = values;
  const isFound = searchOf(values);
  const now = since === undefined && until === undefined ? ctx.serviceNow() : await ctx.fetchServiceNow();
  return {
    source,
    tail,
    after,
    since: since && parseTimestamp(since, '--since', { now }).text,
    isWanted: (event) => isFound(stringOf(rowOf(event)['line']) ?? ''),
    untilMs: until === undefined ? Infinity : Date.parse(parseTimestamp(until, '--until', { now }).text),
  };
}

function searchOf({ search, regex }: LogValues): (line: string) => boolean {
  if (search === undefined) return () => true;
  if (!regex) return (line) => line.includes(search);
  try {
    const expression = new RegExp(search, 'u');
    return (line) => expression.test(line);
  } catch (error) {
    throw usage(`invalid --search: ${messageOf(error)}`, 'Leave --regex out to search for plain text.');
  }
}

/** Without --follow, and for the rest of a log that has ended. */
const IDLE_TIMEOUT_MS = 2000;

/** Ends when the tail is complete, at the idle timeout, or at a line newer than the request. */
async function* pastEvents(ctx: CommandContext, stream: LogStream, query: Query): AsyncGenerator<ServerEvent> {
  let left = query.since === undefined && query.after === undefined ? (query.tail ?? DEFAULT_TAIL) : Infinity;
  if (left === 0) return;
  const startedAt = ctx.clock.monotonic();
  for await (const event of connect(ctx, stream, query, IDLE_TIMEOUT_MS)) {
    if (timeOf(event) > query.untilMs) return;
    if (query.isWanted(event)) yield event;
    left -= 1;
    const passedMs = ctx.clock.monotonic() - startedAt;
    const isNew = passedMs >= IDLE_TIMEOUT_MS && timeOf(event) > ctx.serviceNow() - passedMs + IDLE_TIMEOUT_MS;
    if (left === 0 || isNew) return;
  }
}

/** `Last-Event-ID` wins over `since`, and that over `tail`. */
function connect(
  { api }: CommandContext,
  { path, id }: LogStream,
  { source, tail, since, after }: Query,
  idleTimeoutMs: number,
): AsyncIterable<ServerEvent> {
  const start = after === undefined ? { tail: since === undefined ? tail : undefined, since } : {};
  const headers = after === undefined ? {} : { headers: { 'Last-Event-ID': after } };
  return api.events({ ...readRequest(path, { id, query: { source, ...start }, ...headers }), idleTimeoutMs });
}

/** After this time without a line the connection may be dead, and another one is opened. */
const STREAM_IDLE_MS = 300_000;
const [MIN_BACKOFF_MS, MAX_BACKOFF_MS] = [500, 30_000];
/** In a row, without a line between them. */
const MAX_BREAKS = 10;

/** Reconnects after the last event, until no more lines can come, or ten connections broke without one (7). */
async function* followedEvents(ctx: CommandContext, stream: LogStream, query: Query): AsyncGenerator<ServerEvent> {
  let from = query;
  const startedAt = new Date(ctx.serviceNow()).toISOString();
  // A service may resend lines after a reconnect.
  const seen = new Set<string>();
  let [isConnected, isOver] = [false, false];
  let [breaks, attempts] = [0, 0];
  for (;;) {
    let count = 0;
    try {
      for await (const event of connect(ctx, stream, from, isOver ? IDLE_TIMEOUT_MS : STREAM_IDLE_MS)) {
        const { id: after = '' } = event;
        if (seen.has(after)) continue;
        if (seen.size > 2 * MAX_TAIL) seen.clear();
        if (after !== '') {
          seen.add(after);
          from = { ...from, after };
        }
        count += 1;
        if (query.isWanted(event)) yield event;
      }
      isConnected = true;
      if (isOver) return;
      // Lines written between the last event and this check are read by one more connection.
      isOver = !(await stream.live());
      breaks = 0;
    } catch (error) {
      rethrowUnlessFailure(error, ctx);
      isConnected ||= count > 0 || error.code === 'stream-broken';
      if (isConnected && error.exit === EXIT.notFound) return;
      if (!isConnected || error.exit !== EXIT.unavailable) throw error;
      breaks = count > 0 ? 1 : breaks + 1;
      if (breaks >= MAX_BREAKS)
        throw error.with({ message: `${error.message} (the connection broke ${breaks} times in a row)` });
      if (ctx.terminal.errors) await ctx.tell(`${error.message}; going on after the last line`);
    }
    // Before any event, `tail: 0` resumes at the start, so that no line is lost.
    if (query.tail === 0) from = { ...from, tail: undefined, since: startedAt };
    attempts = count > 0 ? 0 : attempts + 1;
    // Half is random, so that clients do not reconnect at the same time.
    const backoffMs = Math.min(MAX_BACKOFF_MS, MIN_BACKOFF_MS * 2 ** attempts) * (0.5 + ctx.random() / 2);
    if (!isOver) await every(ctx, backoffMs);
  }
}

/** Data that is not a JSON object becomes the line's text. */
function rowOf({ data }: ServerEvent): JsonObject {
  const row = jsonOrText(data);
  return isObject(row) ? row : { line: data };
}

async function printer(ctx: CommandContext, names: readonly string[] | undefined, given: Times | undefined) {
  if (asksForData(ctx.output)) {
    const rows = ctx.rows(names ? { ...logView, members: ['log', ...(logView.members ?? [])] } : logView);
    return {
      line: ({ at, event }: Line) => rows.row({ ...(names && { log: names[at] ?? '' }), ...rowOf(event) }),
      close: () => rows.close(),
    };
  }
  const times = given ?? (ctx.terminal.output ? 'clock' : 'utc');
  const prefix = names && (await prefixes(ctx, names));
  return {
    line: async ({ at, event }: Line) => {
      const { ts, source, line } = rowOf(event);
      const time = timeText(stringOf(ts), times, ctx.serviceNow());
      const words = [...(time === undefined ? [] : [time]), safeText(stringOf(source) ?? '-').padEnd(9)];
      const shown = safeText([...words, stringOf(line)?.replace(/\r?\n?$/, '') ?? ''].join(' '));
      await ctx.stdout.write(prefix ? styled`${prefix(at)} ${shown}\n` : styled`${shown}\n`);
    },
    close: () => Promise.resolve(),
  };
}

async function prefixes(ctx: CommandContext, names: readonly string[]): Promise<(at: number) => TerminalText> {
  const { loadNamePaint } = await import('../output/text/colour.ts');
  const paint = await loadNamePaint(ctx.terminal.colour.output);
  // A longer name is not padded to.
  const width = Math.min(32, Math.max(...names.map((name) => safeText(name).length)));
  return (at) => paint(safeText(safeText(names[at] ?? '').padEnd(width)), at);
}

/** Invalid times are shown as sent. */
function timeText(given: string | undefined, times: Times, now: EpochMs): string | undefined {
  if (times === 'none') return undefined;
  const time = Date.parse(given ?? '');
  if (times === 'utc' || Number.isNaN(time)) return given ?? '-';
  if (times === 'relative') return formatDuration(Math.floor(Math.max(0, now - time) / 1000) * 1000).padStart(7);
  const [day, clock] = new Date(time).toLocaleString('sv-SE').split(' ');
  // Otherwise a line of another day would look like one of today.
  return day === new Date(now).toLocaleDateString('sv-SE') ? clock : `${day ?? ''} ${clock ?? ''}`;
}
