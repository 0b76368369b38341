import { describeCost, type ExecutionCost } from '../../../batch/report/cost.ts';
import type { Accounting } from '../../../batch/store/items/item-states.ts';
import type { CommandContext } from '../../../cli/context.ts';
import { formatDuration } from '../../../core/units.ts';
import { isJsonFormat } from '../../../output/formats/format-table.ts';
import type { Trouble } from '../../../batch/report/request-health.ts';
import { createMeter, type Speed } from './completion-rate.ts';

/** Milliseconds between two pictures on a terminal, and between two lines elsewhere. */
const DRAWN_EVERY_MS = 250;
const SAID_EVERY_MS = 10_000;
/** Milliseconds between two looks at the rate: numbers that change faster cannot be read. */
const MEASURED_EVERY_MS = 1000;
const BLOCKS = 12;
/** Columns that the spinner takes for itself. */
const SPINNER_COLUMNS = 3;
/** Trouble shorter than this is none: a request is tried again, and nobody need know. */
const TROUBLE_MS = 3000;

/** How a batch stands at one moment. */
export interface Standing {
  readonly sum: Accounting;
  /** What its jobs cost so far; undefined where that is not known. */
  readonly cost: ExecutionCost | undefined;
  readonly trouble: Trouble | undefined;
}

/**
 * Tells how a batch stands until the signal ends it: a bar on a terminal, a line every ten seconds elsewhere, and there
 * none where JSON is asked for: what reads it takes what stands on stderr for an error.
 */
export async function followBatch(ctx: CommandContext, look: () => Standing, until: AbortSignal): Promise<void> {
  const { clock, terminal, output } = ctx;
  const asJson = isJsonFormat(output.format);
  if (!terminal.errors && asJson) return;
  const meter = createMeter();
  const room = (): number => (terminal.columns ?? 80) - SPINNER_COLUMNS;
  const drawn = (pace: readonly string[]): string => barLine(look(), pace, clock.monotonic(), room());
  const bar = terminal.errors ? ctx.progress(drawn([])) : undefined;
  let pace: readonly string[] = [];
  let [measuredAt, saidAt] = [Number.NEGATIVE_INFINITY, clock.monotonic()];
  try {
    for (;;) {
      const now = clock.monotonic();
      if (now - measuredAt >= MEASURED_EVERY_MS) {
        const { sum } = look();
        pace = paceOf(sum, meter(now, endedOf(sum)));
        measuredAt = now;
      }
      if (bar !== undefined) bar.update(drawn(pace));
      else if (now - saidAt >= SAID_EVERY_MS) {
        await ctx.tell(countLine(look(), pace, now));
        saidAt = now;
      }
      await clock.sleep(bar === undefined ? MEASURED_EVERY_MS : DRAWN_EVERY_MS, until);
    }
  } catch (error) {
    if (!until.aborted) throw error;
  } finally {
    await bar?.stop();
  }
}

const endedOf = ({ planned, waiting, inFlight }: Accounting): number => planned - waiting - inFlight;

/** `███░░░ 25%  250 done, 3 failed, 32 in flight  98.0/s  8s left  ~$0.0123`, without what there is no room for. */
function barLine(standing: Standing, pace: readonly string[], now: number, room: number): string {
  const { sum } = standing;
  const ended = endedOf(sum);
  const share = sum.planned === 0 ? 1 : ended / sum.planned;
  const full = Math.floor(share * BLOCKS);
  const bar = '█'.repeat(full) + '░'.repeat(BLOCKS - full);
  const line = (...parts: readonly string[]): string =>
    [`${bar} ${String(Math.floor(share * 100))}%`, ...parts].join('  ');
  // What waits can be seen from the bar.
  const [all, begun] = [counts(sum), counts({ ...sum, waiting: 0 })];
  const trouble = troubleOf(standing, now);
  // It is the longest part, and the end of it may be cut off.
  if (trouble !== undefined) return line(begun, trouble);
  const spent = money(standing.cost);
  const lines = [line(all, ...pace, ...spent), line(begun, ...pace, ...spent)];
  return lines.find((each) => each.length <= room) ?? line(begun, ...pace);
}

/** The same for a log. */
function countLine(standing: Standing, pace: readonly string[], now: number): string {
  const { sum, cost } = standing;
  const trouble = troubleOf(standing, now);
  const head = [`${String(endedOf(sum))} of ${String(sum.planned)}`, counts(sum)];
  return [...head, ...(trouble === undefined ? [...pace, ...money(cost)] : [trouble])].join('  ');
}

/** `250 done, 3 failed, 32 in flight`: those that are not nought. */
export function counts(sum: Accounting): string {
  const named: readonly (readonly [number, string])[] = [
    [sum.completed, 'done'],
    [sum.failed, 'failed'],
    [sum.timedOut, 'timed out'],
    [sum.cancelled, 'cancelled'],
    [sum.expired, 'expired'],
    [sum.unknown, 'unknown'],
    [sum.inFlight, 'in flight'],
    [sum.waiting, 'waiting'],
  ];
  return named
    .filter(([count]) => count > 0)
    .map(([count, name]) => `${String(count)} ${name}`)
    .join(', ');
}

/** `no success for 45s: could not reach ...`, `30% of requests fail: ...`. */
function troubleOf({ trouble }: Standing, now: number): string | undefined {
  if (trouble === undefined) return undefined;
  const { since, share, says } = trouble;
  if (since !== undefined && now - since >= TROUBLE_MS) return `no success for ${formatDuration(now - since)}: ${says}`;
  return share > 0 ? `${String(Math.round(share * 100))}% of requests fail: ${says}` : undefined;
}

function paceOf(sum: Accounting, { perSecond, steady }: Speed): readonly string[] {
  if (perSecond === undefined || !steady) return [];
  const rate = perSecond < 1 ? `${(perSecond * 60).toFixed(1)}/min` : `${perSecond.toFixed(1)}/s`;
  return [rate, `${about((sum.waiting + sum.inFlight) / perSecond)} left`];
}

/** So many seconds, no more exact than anybody can know. */
function about(seconds: number): string {
  const step = seconds < 60 ? 1 : seconds < 600 ? 10 : 60;
  return formatDuration(Math.ceil(seconds / step) * step * 1000);
}

const money = (cost: ExecutionCost | undefined): readonly string[] => (cost === undefined ? [] : [describeCost(cost)]);
