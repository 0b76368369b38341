import type { BatchProgress, BatchView, ItemCounts } from '../../../../batch/index.ts';
import type { CommandContext } from '../../../../cli/model/context.ts';
import { countOf } from '../../../../cli/words/words.ts';
import { formatDuration } from '../../../../core/units.ts';
import { isJsonFormat } from '../../../../output/formats/format-table.ts';
import { createRateMeter, type CompletionRate } from './completion-rate.ts';
import { describeCost } from './view.ts';

/** Milliseconds between updates of the bar, between lines elsewhere, and between measurements of the rate. */
const BAR_INTERVAL_MS = 250;
const LINE_INTERVAL_MS = 10_000;
const RATE_INTERVAL_MS = 1000;
const BAR_LENGTH = 12;
/** Columns of the spinner. */
const SPINNER_COLUMNS = 3;
/** Failures shorter than this are not shown: the requests are retried. */
const MIN_FAILING_MS = 3000;

/** Returns the callbacks that show a batch on stderr. */
export const viewOf = (ctx: CommandContext, onBegun?: BatchView['onBegun']): BatchView => ({
  ...(onBegun === undefined ? {} : { onBegun }),
  onNotes: async (notes) => {
    for (const note of notes) await ctx.tell(note);
  },
  follow: (progress, until) => followBatch(ctx, progress, until),
  onDraining: (requests) => {
    if (ctx.terminal.errors)
      void ctx.tell(`Waiting for the answer to ${countOf(requests, 'request')}. Ctrl-C again ends at once.`);
  },
});

/**
 * Shows progress until the signal is aborted: a bar on a terminal, a line every ten seconds elsewhere, and nothing with
 * a JSON format off a terminal, because programs take text on stderr for an error.
 */
async function followBatch(ctx: CommandContext, progress: () => BatchProgress, until: AbortSignal): Promise<void> {
  const { clock, terminal, output } = ctx;
  if (!terminal.errors && isJsonFormat(output.format)) return;
  const meter = createRateMeter();
  const columns = (): number => (terminal.columns ?? 80) - SPINNER_COLUMNS;
  const drawn = (rate: readonly string[]): string => barLine(progress(), rate, clock.monotonic(), columns());
  const bar = terminal.errors ? ctx.progress(drawn([])) : undefined;
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
      await clock.sleep(bar === undefined ? RATE_INTERVAL_MS : BAR_INTERVAL_MS, until);
    }
  } catch (error) {
    if (!until.aborted) throw error;
  } finally {
    await bar?.stop();
  }
}

const endedCount = ({ planned, waiting, inFlight }: ItemCounts): number => planned - waiting - inFlight;

/** Returns `███░░░ 25%  250 done, 3 failed, 32 in flight  98.0/s  8s left  ~$0.0123`, shortened to the columns. */
function barLine(progress: BatchProgress, rate: readonly string[], now: number, columns: number): string {
  const { counts } = progress;
  const ended = endedCount(counts);
  const share = counts.planned === 0 ? 1 : ended / counts.planned;
  const filled = Math.floor(share * BAR_LENGTH);
  const bar = '█'.repeat(filled) + '░'.repeat(BAR_LENGTH - filled);
  const line = (...parts: readonly string[]): string =>
    [`${bar} ${String(Math.floor(share * 100))}%`, ...parts].join('  ');
  // The number of waiting items is left out first: the bar shows it.
  const [all, withoutWaiting] = [describeCounts(counts), describeCounts({ ...counts, waiting: 0 })];
  const problem = describeProblem(progress, now);
  // It is the longest part and may be cut off at the end.
  if (problem !== undefined) return line(withoutWaiting, problem);
  const cost = costParts(progress);
  const lines = [line(all, ...rate, ...cost), line(withoutWaiting, ...rate, ...cost)];
  return lines.find((each) => each.length <= columns) ?? line(withoutWaiting, ...rate);
}

/** Returns the same for a log. */
function logLine(progress: BatchProgress, rate: readonly string[], now: number): string {
  const { counts } = progress;
  const problem = describeProblem(progress, now);
  const head = [`${String(endedCount(counts))} of ${String(counts.planned)}`, describeCounts(counts)];
  return [...head, ...(problem === undefined ? [...rate, ...costParts(progress)] : [problem])].join('  ');
}

/** Returns `250 done, 3 failed, 32 in flight`, without counts of zero. */
export function describeCounts(counts: ItemCounts): string {
  const named: readonly (readonly [number, string])[] = [
    [counts.completed, 'done'],
    [counts.failed, 'failed'],
    [counts.timedOut, 'timed out'],
    [counts.cancelled, 'cancelled'],
    [counts.expired, 'expired'],
    [counts.unknown, 'unknown'],
    [counts.inFlight, 'in flight'],
    [counts.waiting, 'waiting'],
  ];
  return named
    .filter(([count]) => count > 0)
    .map(([count, name]) => `${String(count)} ${name}`)
    .join(', ');
}

/** Returns `no success for 45s: could not reach ...` or `30% of requests fail: ...`. */
function describeProblem({ problem }: BatchProgress, now: number): string | undefined {
  if (problem === undefined) return undefined;
  const { failingSince, failedFraction, message } = problem;
  if (failingSince !== undefined && now - failingSince >= MIN_FAILING_MS)
    return `no success for ${formatDuration(now - failingSince)}: ${message}`;
  return failedFraction > 0 ? `${String(Math.round(failedFraction * 100))}% of requests fail: ${message}` : undefined;
}

function describeRate(counts: ItemCounts, { perSecond, steady }: CompletionRate): readonly string[] {
  if (perSecond === undefined || !steady) return [];
  const rate = perSecond < 1 ? `${(perSecond * 60).toFixed(1)}/min` : `${perSecond.toFixed(1)}/s`;
  return [rate, `${roundedDuration((counts.waiting + counts.inFlight) / perSecond)} left`];
}

/** Rounds an estimate up, to 10 seconds from one minute on, and to minutes from ten minutes on. */
function roundedDuration(seconds: number): string {
  const step = seconds < 60 ? 1 : seconds < 600 ? 10 : 60;
  return formatDuration(Math.ceil(seconds / step) * step * 1000);
}

const costParts = ({ cost }: BatchProgress): readonly string[] => (cost === undefined ? [] : [describeCost(cost)]);
