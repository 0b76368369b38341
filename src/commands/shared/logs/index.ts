import { berth, type CommandLine, flags } from '../../../core/message.ts';
import type { ServerEvent } from '../../../core/api.ts';
import { usage } from '../../../core/failure.ts';
import type { Id } from '../../../core/ids.ts';
import { stringAt } from '../../../core/json.ts';
import { parseTimestamp } from '../../../core/text/timestamp.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import type { Collection } from '../../../cli/model/collection.ts';
import { identify } from '../../../cli/resource/identity/identify.ts';
import { option, type Params, type ValuesOf } from '../../../cli/model/params.ts';
import { styled } from '../../../output/text/terminal-text.ts';
import { asksForData, type Result } from '../../../output/view.ts';
import { followLogs, logRequest, type LogQuery, type LogStream } from './follow.ts';
import { lineText, rowOf, TIMES, timesOf, type Times } from './line.ts';
import { logView } from './log-view.ts';

/** The default and the maximum of the contract (LogTail). */
const DEFAULT_TAIL = 100;
const MAX_TAIL = 5000;
/** Without --follow, the log ends when no line has come for this time. */
const IDLE_TIMEOUT_MS = 2000;

/** The flags of every command that shows a log. */
export const LOG_OPTIONS = {
  follow: option.on('go on as lines are written, across broken connections, until Ctrl-C', { short: '-f' }),
  source: option.choice('only lines of the container, or of the system around it', ['container', 'system']),
  tail: option.count('how many of the last lines to begin with, up to 5000 (default 100)', 0, { most: MAX_TAIL }),
  since: option.text('begin at a moment: 2026-01-31T12:00:00Z, or 10m for 10 minutes ago', { metavar: 'TIME' }),
  times: option.choice(
    'times as clock (21:03:07, the default on a terminal), utc (elsewhere), local, relative or none',
    TIMES,
    { metavar: 'WORD' },
  ),
  after: option.text('go on after this event: what an earlier run ended with', { metavar: 'CURSOR' }),
} as const satisfies Params;

export const LOG_DETAILS =
  'Prints time, source and text of each line. -o jsonl prints the lines as the service sent them, --json as one array. Without --follow it ends when no line has come for 2 seconds. With --follow no line is lost or printed twice, also when the service restarts; it ends when the service ends the log, or with Ctrl-C.';

/** A log that a command shows. */
export interface LogTarget<N extends string> {
  /** The list in which a name is looked up. */
  readonly lookup: Collection<N>;
  readonly given: string;
  readonly stream: (id: Id<N>) => LogStream;
  /** The command that shows it. */
  readonly command: CommandLine;
}

/**
 * Prints a log as it comes. Fails with usage (2) for an invalid time, with not-found (4) and with unavailable (7). Ctrl-C
 * ends it with 130 and prints the command that continues after the last line.
 */
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
  } finally {
    // Closes the connection, also where printing failed.
    await events.return(undefined);
    await print.close();
  }
  ctx.setResumeCommand(undefined);
  return { kind: 'nothing' };
}

/** Opens a log that the user named, and waits for its first event. Fails as the connection does. */
export async function openLog<N extends string>(
  ctx: CommandContext,
  { lookup, given, stream }: LogTarget<N>,
  query: LogQuery,
  follow: boolean,
) {
  const { result } = await identify(ctx, lookup, given, async (id) => {
    const events = (follow ? followLogs : pastLogs)(ctx, stream(id), query);
    return { first: await events.next(), events };
  });
  return result;
}

/** Yields the lines so far: ends when the tail is complete, when no line comes any more, or at a line newer than the request. */
async function* pastLogs(ctx: CommandContext, stream: LogStream, query: LogQuery): AsyncGenerator<ServerEvent> {
  const start = ctx.clock.monotonic();
  const startDate = ctx.serviceNow();
  const wanted = query.since === undefined && query.after === undefined ? (query.tail ?? DEFAULT_TAIL) : Infinity;
  if (wanted === 0) return;
  let count = 0;
  for await (const event of ctx.api.events({ ...logRequest(stream, query), idleTimeoutMs: IDLE_TIMEOUT_MS })) {
    yield event;
    count += 1;
    const isPast = ctx.clock.monotonic() - start < IDLE_TIMEOUT_MS || !(timeOf(event) > startDate + IDLE_TIMEOUT_MS);
    if (count >= wanted || !isPast) return;
  }
}

export const timeOf = (event: ServerEvent): number => Date.parse(stringAt(rowOf(event), 'ts') ?? '');

export async function readQuery(ctx: CommandContext, values: ValuesOf<typeof LOG_OPTIONS>): Promise<LogQuery> {
  const now = values.since === undefined ? ctx.serviceNow() : await ctx.fetchServiceNow();
  const given = Object.entries({ tail: values.tail, since: values.since, after: values.after });
  const [first, second] = given.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`]));
  if (second !== undefined) throw usage(`${first ?? ''} and ${second} exclude each other`, 'Keep one of them.');
  return {
    source: values.source,
    tail: values.tail,
    since: values.since === undefined ? undefined : parseTimestamp(values.since, '--since', { now }).text,
    after: values.after,
  };
}

function goOnLine(
  command: CommandLine,
  { follow, source }: ValuesOf<typeof LOG_OPTIONS>,
  cursor: string | undefined,
): CommandLine {
  return berth`${command} ${flags([
    ...(follow ? ['--follow'] : []),
    ...(source === undefined ? [] : ['--source', source]),
    ...(cursor === undefined ? [] : ['--after', cursor]),
  ])}`;
}

interface Printer {
  line(event: ServerEvent): Promise<void>;
  close(): Promise<void>;
}

/** Prints `time source line`, or rows in the output format that the user chose. */
function printer(ctx: CommandContext, times: Times): Printer {
  if (!asksForData(ctx.output))
    return {
      line: (event) => ctx.stdout.write(styled`${lineText(rowOf(event), times, ctx.serviceNow())}\n`),
      close: () => Promise.resolve(),
    };
  const rows = ctx.rows(logView);
  return { line: (event) => rows.row(rowOf(event)), close: () => rows.close() };
}
