import { formatDollars } from '../../core/units.ts';

/** US dollars a GB and month on standard storage: below and beyond the first terabyte (specification 8.4). */
const STANDARD = { firstTerabyte: 0.07, beyond: 0.05 } as const;
/** Volumes are sized in GB and end at 4 TB = 4096 GB, so a terabyte is 1024 of them. */
const TERABYTE_GB = 1024;

/** What standard storage of a size in GB costs, in US dollars a month. */
export const standardMonthly = (sizeGb: number): number =>
  Math.min(sizeGb, TERABYTE_GB) * STANDARD.firstTerabyte + Math.max(0, sizeGb - TERABYTE_GB) * STANDARD.beyond;

/** The price as a sentence part; the specification gives no figure for high-performance storage. */
export function monthlyCost(sizeGb: number, type: string | undefined): string {
  const standard = `${formatDollars(standardMonthly(sizeGb))} a month`;
  return type === 'HIGH_PERFORMANCE'
    ? `more than ${standard} (high-performance storage costs more than standard)`
    : standard;
}
