import type { Accounting } from '../../batch/ledger.ts';
import type { CommandContext } from '../../cli/context.ts';
import { formatDuration } from '../../core/units.ts';

/** Milliseconds between two pictures on a terminal, and between two lines elsewhere. */
const DRAWN_EVERY_MS = 250;
const SAID_EVERY_MS = 10_000;
/** The rate is that of the last so many milliseconds. */
const WINDOW_MS = 10_000;
const BLOCKS = 12;

/** Tells how a batch stands until the signal ends it: a bar on a terminal, a line every ten seconds elsewhere. */
export async function followBatch(ctx: CommandContext, look: () => Accounting, until: AbortSignal): Promise<void> {
  const { clock, terminal } = ctx;
  const meter = createMeter(clock.now(), settledOf(look()));
  const bar = terminal.errors ? ctx.progress(barLine(look(), undefined)) : undefined;
  try {
    for (;;) {
      await clock.sleep(bar === undefined ? SAID_EVERY_MS : DRAWN_EVERY_MS, until);
      const sum = look();
      const rate = meter(clock.now(), settledOf(sum));
      if (bar === undefined) await ctx.tell(countLine(sum, rate));
      else bar.update(barLine(sum, rate));
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

/** `███░░░ 25% 250/1000  240 done, 3 failed, 32 in flight  98.0/s  8s left` */
export function barLine(sum: Accounting, perSecond: number | undefined): string {
  const settled = settledOf(sum);
  const share = sum.planned === 0 ? 1 : settled / sum.planned;
  const full = Math.floor(share * BLOCKS);
  const bar = '█'.repeat(full) + '░'.repeat(BLOCKS - full);
  return [`${bar} ${String(Math.floor(share * 100))}%`, ...facts(sum, perSecond)].join('  ');
}

/** The same for a log. */
export const countLine = (sum: Accounting, perSecond: number | undefined): string =>
  [`${String(settledOf(sum))} of ${String(sum.planned)}`, ...facts(sum, perSecond)].join('  ');

function facts(sum: Accounting, perSecond: number | undefined): string[] {
  const named: readonly (readonly [number, string])[] = [
    [sum.completed, 'done'],
    [sum.failed + sum.cancelled + sum.timedOut, 'failed'],
    [sum.expired, 'expired'],
    [sum.unknown, 'unknown'],
    [sum.inFlight, 'in flight'],
    [sum.waiting, 'waiting'],
  ];
  const counts = named.filter(([count]) => count > 0).map(([count, name]) => `${String(count)} ${name}`);
  const left = sum.waiting + sum.inFlight;
  const rate = perSecond === undefined || perSecond <= 0 ? undefined : perSecond;
  return [
    counts.join(', '),
    ...(rate === undefined ? [] : [`${rate.toFixed(1)}/s`, `${formatDuration((left / rate) * 1000)} left`]),
  ];
}
