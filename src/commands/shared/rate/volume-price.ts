import { formatDollars } from '../../../core/units.ts';

/** US dollars per GB and month of standard storage, up to 1 TB and above it (specification 8.4). */
const STANDARD = { firstTerabyte: 0.07, beyond: 0.05 } as const;
/** The largest volume is 4 TB = 4096 GB, so 1 TB is 1024 GB. */
const TERABYTE_GB = 1024;
/** The hours of a month in prices: 365 days / 12. */
export const HOURS_PER_MONTH = 730;

/** The price of standard storage in US dollars per month. */
export const standardMonthly = (sizeGb: number): number =>
  Math.min(sizeGb, TERABYTE_GB) * STANDARD.firstTerabyte + Math.max(0, sizeGb - TERABYTE_GB) * STANDARD.beyond;

/** The price of standard storage in US dollars per hour. */
export const volumeHourly = (sizeGb: number): number => standardMonthly(sizeGb) / HOURS_PER_MONTH;

/** The monthly price in words. The specification has no price for high-performance storage. */
export function monthlyCost(sizeGb: number, type: string | undefined): string {
  const standard = `${formatDollars(standardMonthly(sizeGb))} a month`;
  return type === 'HIGH_PERFORMANCE'
    ? `more than ${standard} (high-performance storage costs more than standard)`
    : standard;
}
