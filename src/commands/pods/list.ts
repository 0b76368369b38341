import { memberAt } from '../../core/json.ts';
import { defineGroup } from '../../cli/model/command.ts';
import { option } from '../../cli/model/params.ts';
import { listCommand } from '../../cli/resource/list.ts';
import { isAmong } from '../../core/patterns.ts';
import { totalOf } from './action-cost.ts';
import { SUMMARY } from './get.ts';
import { PODS } from './resource.ts';
import { CLOUDS, DATA_CENTERS, GPUS } from '../../cli/resource/collections.ts';

/** The service can only filter pods of clusters; other filters are applied here. */
export const list = listCommand(PODS, {
  summary: 'list pods',
  details: 'Filters narrow each other; several values of one of them widen it. TERMINATED pods leave the list.',
  options: {
    all: option.on('members of clusters too', { short: '-a' }),
    cloud: option.choice('only on this cloud', CLOUDS),
    dataCenter: option.list('only in these data centers', { metavar: 'DC', complete: DATA_CENTERS }),
    gpu: option.list('only with these GPU types', { metavar: 'GPU', complete: GPUS }),
  },
  watch: true,
  query: ({ all }) => (all ? { includeClusterPods: true } : {}),
  keep: (pod, filter) =>
    isAmong(filter.cloud === undefined ? [] : [filter.cloud], memberAt(pod, 'cloud')) &&
    isAmong(filter.dataCenter, memberAt(pod, 'dataCenterId')) &&
    isAmong(filter.gpu, memberAt(pod, 'gpu.id')),
  total: totalOf,
  examples: [
    ['berth pods list --status RUNNING --older-than 3d', 'what has been running for long'],
    ["berth pods list --match 'train-*' --sort -cost", 'some of them, the most expensive first'],
    ['berth pods list --watch', 'see them start and stop'],
    ['berth pods list -o wide', 'every column'],
    ['berth pods list -o id', 'the ids alone, one a line'],
  ],
});

/** See `podsGet`. */
export const podsList = defineGroup(SUMMARY, { list });
