import type { CommandLine } from '../../core/message.ts';
import type { ServerEvent } from '../../core/api.ts';
import { Failure, isInterrupt, usage } from '../../core/failure.ts';
import { safeText, say } from '../../core/safe-text.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import type { ValuesOf } from '../../cli/model/params.ts';
import { loadNamePaint } from '../../output/text/colour.ts';
import { styled } from '../../output/text/terminal-text.ts';
import { ellipsize, textWidth } from '../../output/text/text-width.ts';
import { asksForData, type Result } from '../../output/view.ts';
import {
  lineText,
  type LOG_OPTIONS,
  type LogTarget,
  logView,
  openLog,
  readQuery,
  rowOf,
  timeOf,
  timesOf,
} from '../../cli/logs.ts';
import type { RowWriter } from '../../output/render.ts';

export interface NamedLog<N extends string> extends LogTarget<N> {
  readonly name: string;
}

/** Each one holds a connection. */
const MAX_LOGS = 50;

interface Line {
  readonly at: number;
  readonly event: ServerEvent;
}

/** Past lines by time. A failed log is reported and the others continue; thrown at the end. Usage (2). */
export async function showSeveralLogs<N extends string>(
  ctx: CommandContext,
  logs: readonly NamedLog<N>[],
  values: ValuesOf<typeof LOG_OPTIONS>,
  goOn: (since: string | undefined) => CommandLine,
): Promise<Result> {
  if (values.after !== undefined) throw usage('--after goes on in one log', 'Use --since for several.');
  if (logs.length > MAX_LOGS)
    throw usage(`${logs.length} logs are too many: at most ${MAX_LOGS} at once`, 'Name fewer.');
  const query = await readQuery(ctx, values);
  ctx.setResumeCommand(goOn(values.since));
  const sources = await Promise.all(logs.map((log) => openLog(ctx, log, query, values.follow)));
  const print = await printer(
    ctx,
    logs.map(({ name }) => name),
    values,
  );
  const lastTimes = new Map<number, number>();
  const failures: Failure[] = [];
  const past: Line[] = [];
  const take = async (line: Line): Promise<void> => {
    if (!values.follow) {
      past.push(line);
      return;
    }
    await print.line(line);
    const time = timeOf(line.event);
    if (Number.isNaN(time)) return;
    lastTimes.set(line.at, time);
    // From the log furthest behind: no line is lost, some may repeat.
    ctx.setResumeCommand(goOn(new Date(Math.min(...lastTimes.values())).toISOString()));
  };
  try {
    await Promise.all(
      sources.map(async ({ first, events }, at) => {
        try {
          for (let next = first; next.done !== true; next = await events.next()) await take({ at, event: next.value });
        } catch (error) {
          if (!(error instanceof Failure) || ctx.signal.aborted || error.exit === 0) throw error;
          failures.push(error);
          await ctx.tell(`${logs[at]?.name ?? ''}: ${error.message}`);
        }
      }),
    );
    for (const line of [...past].sort((a, b) => compareTimes(timeOf(a.event), timeOf(b.event)) || a.at - b.at))
      await print.line(line);
  } catch (error) {
    if (values.follow && isInterrupt(error)) return { kind: 'nothing', exit: error.exit };
    throw error;
  } finally {
    // Closes the connections without waiting for another line.
    for (const { events } of sources) void events.return(undefined).catch(() => undefined);
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
  const shown = names.map((name) => {
    const text = safeText(name);
    if (!ctx.terminal.output) return text;
    return safeText(
      ellipsize([{ text }], MAX_NAME)
        .map((piece) => piece.text)
        .join(''),
    );
  });
  const width = Math.min(MAX_NAME, Math.max(...shown.map(textWidth)));
  const times = timesOf(ctx, values);
  return {
    line: async ({ at, event }) => {
      const name = shown[at] ?? say``;
      const gap = ' '.repeat(Math.max(0, width - textWidth(name)));
      const text = lineText(rowOf(event), times, ctx.serviceNow());
      await ctx.stdout.write(styled`${paint(name, at)}${say`${gap}`} ${text}\n`);
    },
    close: () => Promise.resolve(),
  };
}

/** Padded to this width, and on a terminal cut. */
const MAX_NAME = 32;
