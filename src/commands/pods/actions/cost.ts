import { type Json, memberAt, numberAt } from '../../../core/json.ts';
import { formatDollars } from '../../../core/units.ts';
import { countOf } from '../../../cli/words.ts';

export const isLocked = (pod: Json): boolean => memberAt(pod, 'locked') === true;

/** What pods cost now in US dollars per hour; stopped pods cost nothing (specification 2.2). */
const hourlyCostOf = (pods: readonly Json[]): number =>
  pods.reduce<number>((sum, pod) => sum + (numberAt(pod, 'cost') ?? 0), 0);

/** `8 pods, $7.47 an hour, 1 locked`. Says if the cost of some of them is not known. */
export function totalOf(pods: readonly Json[]): string {
  const unknown = pods.filter((pod) => numberAt(pod, 'cost') === undefined).length;
  const without = unknown === 0 ? '' : `, without ${countOf(unknown, 'pod')} of unknown cost`;
  const locked = pods.filter(isLocked).length;
  const protectedOnes = locked === 0 ? '' : `, ${locked} locked`;
  return `${countOf(pods.length, 'pod')}, ${formatDollars(hourlyCostOf(pods))} an hour${without}${protectedOnes}`;
}

/** `It saves $7.47 an hour.` */
export const savingOf = (pods: readonly Json[]): string => `It saves ${formatDollars(hourlyCostOf(pods))} an hour.`;
