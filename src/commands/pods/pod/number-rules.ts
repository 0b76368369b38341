import { usage } from '../../../core/failure.ts';
import { numberOf, type Json } from '../../../core/json.ts';

/** A rule for whole numbers of at least `least`; a value that is no number is for the service to refuse. */
export const atLeast =
  (flag: string, least: number, unit = '') =>
  (given: Json | undefined): void => {
    const value = numberOf(given);
    if (value !== undefined && !(value >= least && Number.isInteger(value)))
      throw usage(`${flag} is a whole number of at least ${least}${unit}; ${value} is not`);
  };

/** The rule for vCPUs (specification 8.3; contract rules, Pods). */
export function vcpuCount(given: Json | undefined): void {
  const count = numberOf(given);
  if (count !== undefined && !(count >= 2 && Number.isInteger(Math.log2(count))))
    throw usage(`--vcpu is a power of two, at least 2; ${count} is not`);
}
