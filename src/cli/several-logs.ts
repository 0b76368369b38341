import type { CommandLine } from '../core/message.ts';
import type { ServerEvent } from '../core/api.ts';
import { Failure, isInterrupt, isNotFound, rethrowUnlessFailure, usage } from '../core/failure.ts';
import { safeText, type SafeText, say } from '../core/safe-text.ts';
import type { CommandContext } from './model/context.ts';
import type { ValuesOf } from './model/params.ts';
import { every } from './until.ts';
import { loadNamePaint } from '../output/text/colour.ts';
import { styled } from '../output/text/terminal-text.ts';
import { ellipsize, textWidth } from '../output/text/text-width.ts';
import { asksForData, type Result } from '../output/view.ts';
import {
  lineText,
  type LOG_OPTIONS,
  type LogQuery,
  type LogTarget,
  logView,
  openLog,
  readQuery,
  rowOf,
  timeOf,
  timesOf,
} from './logs.ts';
import type { RowWriter } from '../output/render.ts';

export interface NamedLog<N extends string> extends LogTarget<N> {
  readonly name: string;
}

/** Each one holds a connection. */
const MAX_LOGS = 50;
/** Past lines that are held to be sorted: more are printed as far as they have come. */
const MAX_HELD = 20_000;
const MORE_EVERY_MS = 5000;

interface Line {
  readonly at: number;
  readonly event: ServerEvent;
}

/**
 * Past lines by time. A failed log is reported and the others continue; thrown at the end. Usage (2). `more` lists the logs that
 * there are now: with --follow new ones are followed from the start of the command, and the end of each is said.
 */
export async function showSeveralLogs<N extends string>(
  ctx: CommandContext,
  logs: readonly NamedLog<N>[],
  values: ValuesOf<typeof LOG_OPTIONS>,
  goOn: (since: string | undefined) => CommandLine,
  more?: () => Promise<readonly NamedLog<N>[]>,
): Promise<Result> {
  if (values.after !== undefined) throw usage('--after goes on in one log', 'Use --since for several.');
  if (logs.length > MAX_LOGS && more === undefined)
    throw usage(`${logs.length} logs are too many: at most ${MAX_LOGS} at once`, 'Name fewer.');
  const query = await readQuery(ctx, values);
  const startedAt = new Date(ctx.serviceNow()).toISOString();
  ctx.setResumeCommand(goOn(values.since));
  const names: string[] = logs.map(({ name }) => name);
  const print = await printer(ctx, names, values);
  const lastTimes = new Map<number, number>();
  const failures: Failure[] = [];
  const past: Line[] = [];
  let printed = Promise.resolve();
  const printPast = (): Promise<void> =>
    (printed = printed.then(async () => {
      const arrived = past.splice(0).sort((a, b) => compareTimes(timeOf(a.event), timeOf(b.event)) || a.at - b.at);
      for (const line of arrived) await print.line(line);
    }));
  const take = async (line: Line): Promise<void> => {
    if (!values.follow) {
      past.push(line);
      if (past.length >= MAX_HELD) await printPast();
      return;
    }
    await print.line(line);
    const time = timeOf(line.event);
    if (Number.isNaN(time)) return;
    lastTimes.set(line.at, time);
    // From the log furthest behind: no line is lost, some may repeat.
    ctx.setResumeCommand(goOn(new Date(Math.min(...lastTimes.values())).toISOString()));
  };
  const open = new Set<AsyncGenerator<ServerEvent>>();
  let reading = 0;
  const read = async (log: NamedLog<N>, at: number, from: LogQuery): Promise<void> => {
    reading += 1;
    try {
      const { first, events } = await openLog(ctx, log, from, values.follow);
      open.add(events);
      for (let next = first; next.done !== true; next = await events.next()) await take({ at, event: next.value });
      open.delete(events);
      if (values.follow && more !== undefined) await ctx.tell(`${log.name} ended`);
    } catch (error) {
      if (!(error instanceof Failure) || ctx.signal.aborted || error.exit === 0) throw error;
      if (isNotFound(error) && more !== undefined) return;
      failures.push(error);
      await ctx.tell(`${log.name}: ${error.message}`);
    } finally {
      reading -= 1;
      lastTimes.delete(at);
    }
  };
  const stop = new AbortController();
  const begun: Promise<void>[] = [];
  const watch = async (list: () => Promise<readonly NamedLog<N>[]>): Promise<void> => {
    const signal = AbortSignal.any([ctx.signal, stop.signal]);
    for (;;) {
      await every(ctx, MORE_EVERY_MS, { signal });
      const listed = await list().catch((error: unknown) => {
        rethrowUnlessFailure(error, ctx);
        // Gone with all its logs; anything else may pass.
        return isNotFound(error) ? undefined : [];
      });
      if (listed === undefined) return;
      for (const log of listed) {
        if (names.includes(log.name) || reading >= MAX_LOGS) continue;
        const at = names.push(log.name) - 1;
        begun.push(read(log, at, { ...query, tail: undefined, since: startedAt }).catch(stop.abort.bind(stop)));
      }
    }
  };
  try {
    await Promise.all([
      ...logs.slice(0, MAX_LOGS).map((log, at) => read(log, at, query)),
      ...(values.follow && more !== undefined ? [watch(more)] : []),
    ]);
    await Promise.all(begun);
    await printPast();
  } catch (error) {
    if (values.follow && isInterrupt(error)) return { kind: 'nothing', exit: error.exit };
    throw error;
  } finally {
    // Closes the connections without waiting for another line.
    for (const events of open) void events.return(undefined).catch(() => undefined);
    await print.close();
  }
  ctx.setResumeCommand(undefined);
  return { kind: 'nothing', failure: failures[0] };
}

/** Lines without a time keep their place. */
const compareTimes = (a: number, b: number): number => (Number.isNaN(a) || Number.isNaN(b) ? 0 : a - b);

interface Printer {
  line(line: Line): Promise<void>;
  close(): Promise<void>;
}

async function printer(
  ctx: CommandContext,
  names: readonly string[],
  values: ValuesOf<typeof LOG_OPTIONS>,
): Promise<Printer> {
  if (asksForData(ctx.output)) {
    const rows: RowWriter = ctx.rows({ ...logView, members: ['log', ...(logView.members ?? [])] });
    return {
      line: ({ at, event }) => rows.row({ log: names[at] ?? '', ...rowOf(event) }),
      close: () => rows.close(),
    };
  }
  const paint = await loadNamePaint(ctx.terminal.colour.output);
  const shownAs = (name: string): SafeText => {
    const text = safeText(name);
    if (!ctx.terminal.output) return text;
    return safeText(
      ellipsize([{ text }], MAX_NAME)
        .map((piece) => piece.text)
        .join(''),
    );
  };
  const width = Math.min(MAX_NAME, Math.max(...names.map((name) => textWidth(shownAs(name)))));
  const times = timesOf(ctx, values);
  return {
    line: async ({ at, event }) => {
      const name = shownAs(names[at] ?? '');
      const gap = ' '.repeat(Math.max(0, width - textWidth(name)));
      const text = lineText(rowOf(event), times, ctx.serviceNow());
      await ctx.stdout.write(styled`${paint(name, at)}${say`${gap}`} ${text}\n`);
    },
    close: () => Promise.resolve(),
  };
}

/** Padded to this width, and on a terminal cut. */
const MAX_NAME = 32;
