import { memberAt, stringOf, type Json } from '../../core/json.ts';
import { option } from '../../cli/parse/params.ts';
import { listCommand } from '../../cli/resource/read.ts';
import { STATUSES } from './fields.ts';
import { PODS } from './resource.ts';

/** The service can only leave out the pods of clusters; the other filters are applied to its list here. */
export const list = listCommand(PODS, {
  summary: 'list pods',
  details: 'Filters narrow each other; several values of one of them widen it. TERMINATED pods leave the list.',
  options: {
    all: option.on('members of clusters too', { short: '-a' }),
    status: option.list('only with one of these statuses', { metavar: 'STATUS', choices: STATUSES }),
    cloud: option.choice('only on this cloud', ['SECURE', 'COMMUNITY']),
    dataCenter: option.list('only in these data centers', { metavar: 'DC' }),
    gpu: option.list('only with these GPU types', { metavar: 'GPU' }),
    olderThan: option.age('only created longer ago than this, such as 3d'),
    newerThan: option.age('only created within this time, such as 2h'),
  },
  watch: true,
  query: ({ all }) => (all ? { includeClusterPods: true } : {}),
  keep: (pod, filter, now) =>
    isAmong(filter.status, memberAt(pod, 'status')) &&
    isAmong(filter.cloud === undefined ? [] : [filter.cloud], memberAt(pod, 'cloud')) &&
    isAmong(filter.dataCenter, memberAt(pod, 'dataCenterId')) &&
    isAmong(filter.gpu, memberAt(pod, 'gpu.id')) &&
    isOfAge(filter, now - Date.parse(stringOf(memberAt(pod, 'createdAt')) ?? '')),
  examples: [
    ['berth pods list --status RUNNING --older-than 3d', 'what has been running for long'],
    ['berth pods list --watch', 'see them start and stop'],
    ['berth pods list -o wide', 'every column'],
    ['berth pods list -o id', 'the ids alone, one a line'],
  ],
});

const isAmong = (wanted: readonly string[], value: Json | undefined): boolean =>
  wanted.length === 0 || wanted.some((each) => each.toLowerCase() === stringOf(value)?.toLowerCase());

/** True within both limits, in milliseconds. A pod of unknown age (NaN) is neither older nor newer. */
const isOfAge = (
  { olderThan, newerThan }: { readonly olderThan: number | undefined; readonly newerThan: number | undefined },
  ageMs: number,
): boolean => (olderThan === undefined || ageMs > olderThan) && (newerThan === undefined || ageMs < newerThan);
