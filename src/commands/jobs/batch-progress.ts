import { describeCost, type ExecutionCost } from '../../batch/cost.ts';
import type { Accounting } from '../../batch/ledger.ts';
import type { CommandContext } from '../../cli/context.ts';
import { formatDuration } from '../../core/units.ts';

/** Milliseconds between two pictures on a terminal, and between two lines elsewhere. */
const DRAWN_EVERY_MS = 250;
const SAID_EVERY_MS = 10_000;
/** The rate is that of the last so many milliseconds. */
const WINDOW_MS = 10_000;
const BLOCKS = 12;
/** Columns that the spinner takes for itself. */
const SPINNER_COLUMNS = 3;

/** How a batch stands at one moment. */
export interface Standing {
  readonly sum: Accounting;
  /** What its jobs cost so far; undefined where that is not known. */
  readonly cost: ExecutionCost | undefined;
}

/** Tells how a batch stands until the signal ends it: a bar on a terminal, a line every ten seconds elsewhere. */
export async function followBatch(ctx: CommandContext, look: () => Standing, until: AbortSignal): Promise<void> {
  const { clock, terminal } = ctx;
  const meter = createMeter(clock.now(), settledOf(look().sum));
  const room = (): number => (terminal.columns ?? 80) - SPINNER_COLUMNS;
  const bar = terminal.errors ? ctx.progress(barLine(look(), undefined, room())) : undefined;
  try {
    for (;;) {
      await clock.sleep(bar === undefined ? SAID_EVERY_MS : DRAWN_EVERY_MS, until);
      const standing = look();
      const rate = meter(clock.now(), settledOf(standing.sum));
      if (bar === undefined) await ctx.tell(countLine(standing, rate));
      else bar.update(barLine(standing, rate, room()));
    }
  } catch (error) {
    if (!until.aborted) throw error;
  } finally {
    await bar?.stop();
  }
}

const settledOf = ({ planned, waiting, inFlight }: Accounting): number => planned - waiting - inFlight;

/** Items a second over the last moments, from how many there were at each look. */
function createMeter(since: number, first: number): (now: number, settled: number) => number | undefined {
  let looks = [{ at: since, settled: first }];
  return (now, settled) => {
    looks = [...looks.filter(({ at }) => at >= now - WINDOW_MS).slice(-50), { at: now, settled }];
    const oldest = looks[0];
    return oldest === undefined || now <= oldest.at
      ? undefined
      : ((settled - oldest.settled) / (now - oldest.at)) * 1000;
  };
}

/** `███░░░ 25%  250 done, 3 failed, 32 in flight  98.0/s  8s left  ~$0.0123`, without what there is no room for. */
function barLine({ sum, cost }: Standing, perSecond: number | undefined, room: number): string {
  const settled = settledOf(sum);
  const share = sum.planned === 0 ? 1 : settled / sum.planned;
  const full = Math.floor(share * BLOCKS);
  const bar = '█'.repeat(full) + '░'.repeat(BLOCKS - full);
  const line = (named: string, ...more: readonly string[]): string =>
    [`${bar} ${String(Math.floor(share * 100))}%`, named, ...more].join('  ');
  const [rate, spent] = [speed(sum, perSecond), money(cost)];
  // What waits can be seen from the bar.
  const begun = counts({ ...sum, waiting: 0 });
  const least = line(begun, ...rate);
  const lines = [line(counts(sum), ...rate, ...spent), line(begun, ...rate, ...spent)];
  return lines.find((each) => each.length <= room) ?? least;
}

/** The same for a log. */
const countLine = ({ sum, cost }: Standing, perSecond: number | undefined): string =>
  [`${String(settledOf(sum))} of ${String(sum.planned)}`, counts(sum), ...speed(sum, perSecond), ...money(cost)].join(
    '  ',
  );

function counts(sum: Accounting): string {
  const named: readonly (readonly [number, string])[] = [
    [sum.completed, 'done'],
    [sum.failed + sum.cancelled + sum.timedOut, 'failed'],
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

function speed(sum: Accounting, perSecond: number | undefined): readonly string[] {
  if (perSecond === undefined || perSecond <= 0) return [];
  const left = sum.waiting + sum.inFlight;
  return [`${perSecond.toFixed(1)}/s`, `${formatDuration((left / perSecond) * 1000)} left`];
}

const money = (cost: ExecutionCost | undefined): readonly string[] => (cost === undefined ? [] : [describeCost(cost)]);
