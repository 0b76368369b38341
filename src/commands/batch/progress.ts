import { type BatchProgress, type BatchView, type ItemCounts, itemsLeft } from '../../batch/index.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { every } from '../../cli/until.ts';
import { countOf } from '../../cli/words.ts';
import { describeCost, formatRate, OUTCOMES } from './summary-view.ts';
import { formatDuration } from '../../core/units.ts';
import { isJsonFormat } from '../../output/formats/format-table.ts';

const BAR_INTERVAL_MS = 250;
const LINE_INTERVAL_MS = 10_000;
/** Between measurements of the rate. */
const RATE_INTERVAL_MS = 1000;
const BAR_LENGTH = 12;
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
  let rate: number | undefined;
  const line = (head: (counts: ItemCounts) => string): string => {
    const { counts, cost, problem } = progress();
    const failingMs = problem === undefined ? 0 : clock.monotonic() - problem.failingSince;
    const tail =
      failingMs >= MIN_FAILING_MS
        ? [`no success for ${formatDuration(failingMs)}: ${problem?.message ?? ''}`]
        : [...describeRate(counts, rate), ...(cost === undefined ? [] : [describeCost(cost)])];
    return [head(counts), ...tail].join('  ');
  };
  const bar = terminal.errors && terminal.redraws ? ctx.progress(line(barHead)) : undefined;
  let [measuredAt, printedAt] = [Number.NEGATIVE_INFINITY, clock.monotonic()];
  try {
    for (;;) {
      const now = clock.monotonic();
      if (now - measuredAt >= RATE_INTERVAL_MS) [rate, measuredAt] = [meter(now, endedCount(progress().counts)), now];
      if (bar !== undefined) bar.update(line(barHead));
      else if (now - printedAt >= LINE_INTERVAL_MS) {
        await ctx.tell(line(lineHead));
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

/** `███░░░ 25%  250 done, 3 failed, 32 in flight`: the bar shows how many wait. */
function barHead(counts: ItemCounts): string {
  const share = counts.planned === 0 ? 1 : endedCount(counts) / counts.planned;
  const filled = Math.floor(share * BAR_LENGTH);
  const bar = '█'.repeat(filled) + '░'.repeat(BAR_LENGTH - filled);
  return `${bar} ${Math.floor(share * 100)}%  ${describeCounts({ ...counts, waiting: 0 })}`;
}

const lineHead = (counts: ItemCounts): string =>
  `${endedCount(counts)} of ${counts.planned}  ${describeCounts(counts)}`;

/** Without counts of zero. */
export const describeCounts = (counts: ItemCounts): string =>
  OUTCOMES.filter(([member]) => counts[member] > 0)
    .map(([member, label]) => `${counts[member]} ${member === 'completed' ? 'done' : label}`)
    .join(', ');

function describeRate(counts: ItemCounts, perSecond: number | undefined): readonly string[] {
  if (perSecond === undefined) return [];
  return [formatRate(perSecond), `${roundedDuration(itemsLeft(counts) / perSecond)} left`];
}

/** Up: to 10 seconds from one minute, to minutes from ten minutes. */
function roundedDuration(seconds: number): string {
  const step = seconds < 60 ? 1 : seconds < 600 ? 10 : 60;
  return formatDuration(Math.ceil(seconds / step) * step * 1000);
}

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
