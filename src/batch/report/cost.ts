import { formatDollarRange, type DollarRange } from '../../core/units.ts';

/** What the jobs of a batch cost that one process saw end. */
export interface ExecutionCost extends DollarRange {
  /** The batch was resumed: what had ended before is not in it. */
  readonly sinceResume: boolean;
}

const HOUR_MS = 3_600_000;
/** Digits of an amount that mean something; what lies beyond them is the noise of a product of two fractions. */
const DIGITS = 12;

/** What so many milliseconds of execution cost, at a price an hour. Idle workers and their start are not in it. */
export function executionCost(hour: DollarRange, milliseconds: number): DollarRange {
  const cost = (dollars: number): number => Number(((dollars * milliseconds) / HOUR_MS).toPrecision(DIGITS));
  return { low: cost(hour.low), high: cost(hour.high) };
}

/** `~$0.0123`, `~$1.12 to $1.90`, `<$0.0001`, `~$0.0123 since resume`. */
export function describeCost({ low, high, sinceResume }: ExecutionCost): string {
  const range = formatDollarRange({ low, high });
  return `${range.startsWith('<') ? '' : '~'}${range}${sinceResume ? ' since resume' : ''}`;
}
