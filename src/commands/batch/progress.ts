import { type BatchProgress, type BatchView, type ItemCounts, itemsLeft } from '../../batch/index.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { every } from '../../cli/until.ts';
import { countOf } from '../../cli/words.ts';
import { describeCost, formatRate, OUTCOMES } from './summary-view.ts';
import { formatDuration } from '../../core/units.ts';
import { isJsonFormat } from '../../output/formats/format-table.ts';

/** Milliseconds, also between other lines and measurements of the rate. */
const BAR_INTERVAL_MS = 250;
const LINE_INTERVAL_MS = 10_000;
const RATE_INTERVAL_MS = 1000;
const BAR_LENGTH = 12;
const SPINNER_COLUMNS = 3;
/** Shorter failures are not shown: the requests are retried. */
const MIN_FAILING_MS = 3000;

export const viewOf = (ctx: CommandContext, onBegun?: BatchView['onBegun']): BatchView => ({
  ...(onBegun === undefined ? {} : { onBegun }),
  onNotes: async (notes) => {
    for (const note of notes) await ctx.tell(note);
  },
  follow: (progress, until) => followBatch(ctx, progress, until),
  onFirstInterrupt: (requests) => {
    if (ctx.terminal.errors)
      void ctx.tell(`Waiting for the answer to ${countOf(requests, 'request')}. Ctrl-C again ends at once.`);
  },
});

/** A bar, or a line every 10 s; silent for JSON off a terminal: programs take stderr text for an error. */
async function followBatch(ctx: CommandContext, progress: () => BatchProgress, until: AbortSignal): Promise<void> {
  const { clock, terminal, output } = ctx;
  if (!terminal.errors && isJsonFormat(output.format)) return;
  const meter = createRateMeter();
  const columns = (): number => (terminal.columns ?? 80) - SPINNER_COLUMNS;
  const drawn = (rate: readonly string[]): string => barLine(progress(), rate, clock.monotonic(), columns());
  const bar = terminal.errors && terminal.redraws ? ctx.progress(drawn([])) : undefined;
  let rate: readonly string[] = [];
  let [measuredAt, printedAt] = [Number.NEGATIVE_INFINITY, clock.monotonic()];
  try {
    for (;;) {
      const now = clock.monotonic();
      if (now - measuredAt >= RATE_INTERVAL_MS) {
        const { counts } = progress();
        rate = describeRate(counts, meter(now, endedCount(counts)));
        measuredAt = now;
      }
      if (bar !== undefined) bar.update(drawn(rate));
      else if (now - printedAt >= LINE_INTERVAL_MS) {
        await ctx.tell(logLine(progress(), rate, now));
        printedAt = now;
      }
      await every(ctx, bar === undefined ? RATE_INTERVAL_MS : BAR_INTERVAL_MS, { requests: 0, signal: until });
    }
  } catch (error) {
    if (!until.aborted) throw error;
  } finally {
    await bar?.stop();
  }
}

const endedCount = ({ planned, waiting, inFlight }: ItemCounts): number => planned - waiting - inFlight;

/** `███░░░ 25%  250 done, 3 failed, 32 in flight  98.0/s  8s left  ~$0.0123`. */
function barLine(progress: BatchProgress, rate: readonly string[], now: number, columns: number): string {
  const { counts } = progress;
  const ended = endedCount(counts);
  const share = counts.planned === 0 ? 1 : ended / counts.planned;
  const filled = Math.floor(share * BAR_LENGTH);
  const bar = '█'.repeat(filled) + '░'.repeat(BAR_LENGTH - filled);
  const line = (...parts: readonly string[]): string => [`${bar} ${Math.floor(share * 100)}%`, ...parts].join('  ');
  // The number of waiting items is dropped first: the bar shows it.
  const [all, withoutWaiting] = [describeCounts(counts), describeCounts({ ...counts, waiting: 0 })];
  const problem = describeProblem(progress, now);
  // The longest part: may be truncated at the end.
  if (problem !== undefined) return line(withoutWaiting, problem);
  const cost = costParts(progress);
  const lines = [line(all, ...rate, ...cost), line(withoutWaiting, ...rate, ...cost)];
  return lines.find((each) => each.length <= columns) ?? line(withoutWaiting, ...rate);
}

function logLine(progress: BatchProgress, rate: readonly string[], now: number): string {
  const { counts } = progress;
  const problem = describeProblem(progress, now);
  const head = [`${endedCount(counts)} of ${counts.planned}`, describeCounts(counts)];
  return [...head, ...(problem === undefined ? [...rate, ...costParts(progress)] : [problem])].join('  ');
}

/** Without counts of zero. */
export const describeCounts = (counts: ItemCounts): string =>
  OUTCOMES.filter(([member]) => counts[member] > 0)
    .map(([member, label]) => `${counts[member]} ${member === 'completed' ? 'done' : label}`)
    .join(', ');

/** `no success for 45s: could not reach ...`. */
function describeProblem({ problem }: BatchProgress, now: number): string | undefined {
  const failingMs = problem === undefined ? 0 : now - problem.failingSince;
  return failingMs < MIN_FAILING_MS
    ? undefined
    : `no success for ${formatDuration(failingMs)}: ${problem?.message ?? ''}`;
}

function describeRate(counts: ItemCounts, perSecond: number | undefined): readonly string[] {
  if (perSecond === undefined) return [];
  return [formatRate(perSecond), `${roundedDuration(itemsLeft(counts) / perSecond)} left`];
}

/** Up: to 10 seconds from one minute, to minutes from ten minutes. */
function roundedDuration(seconds: number): string {
  const step = seconds < 60 ? 1 : seconds < 600 ? 10 : 60;
  return formatDuration(Math.ceil(seconds / step) * step * 1000);
}

const costParts = ({ cost }: BatchProgress): readonly string[] => (cost === undefined ? [] : [describeCost(cost)]);

/** Or over this number of items when they took longer. */
const WINDOW_MS = 30_000;
const WINDOW_ITEMS = 20;
const MIN_MS = 2000;
const MIN_ITEMS = 6;

/** Items per second of late; undefined while too few have ended. The first reading is the baseline. */
export function createRateMeter(): (at: number, ended: number) => number | undefined {
  let samples: { readonly at: number; readonly ended: number }[] = [];
  return (at, ended) => {
    // The time before the first end does not count: workers may be starting.
    if (samples.length === 1 && samples[0]?.ended === ended) samples = [];
    samples.push({ at, ended });
    const from = samples.findLastIndex((old) => at - old.at >= WINDOW_MS && ended - old.ended >= WINDOW_ITEMS);
    if (from > 0) samples.splice(0, from);
    const [first = { at, ended }] = samples;
    const [ms, items] = [at - first.at, ended - first.ended];
    return ms >= MIN_MS && items >= MIN_ITEMS ? (items / ms) * 1000 : undefined;
  };
}
