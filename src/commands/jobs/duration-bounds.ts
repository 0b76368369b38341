import { usage } from '../../core/failure.ts';

/** Fails with usage (2) when a duration flag is outside its bounds. Values are milliseconds. */
export function checkBounds(label: string, value: number | undefined, [least, most]: readonly [number, number]): void {
  if (value !== undefined && (value < least || value > most))
    throw usage(`${label} is ${least / 1000} s to ${most / 1000} s; ${value / 1000} s is outside`);
}
