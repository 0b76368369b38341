import { memberAt } from '../../core/json.ts';
import { isAmong } from '../../cli/resource/arguments.ts';
import { option } from '../../cli/model/params.ts';
import { ofPod, perHour, sum } from '../../cli/money.ts';
import { CLOUDS, DATA_CENTERS, GPUS } from '../../cli/resource/collections.ts';
import { list as listOf } from '../../cli/resource/noun.ts';
import { countOf } from '../../cli/words.ts';
import { PODS } from './fields.ts';

export const list = listOf(PODS, {
  details: 'Different filters are ANDed, values of one filter ORed. TERMINATED pods leave the list.',
  options: {
    all: option.on('members of clusters too', { short: '-a' }),
    cloud: option.choice('only on this cloud', CLOUDS),
    dataCenter: option.list('only in these data centers', { metavar: 'DC', complete: DATA_CENTERS }),
    gpu: option.list('only with these GPU types', { metavar: 'GPU', complete: GPUS }),
  },
  watch: true,
  query: ({ all }) => (all ? { includeClusterPods: true } : {}),
  keep: (pod, { cloud, dataCenter, gpu }) =>
    isAmong(cloud === undefined ? [] : [cloud], memberAt(pod, 'cloud')) &&
    isAmong(dataCenter, memberAt(pod, 'dataCenterId')) &&
    isAmong(gpu, memberAt(pod, 'gpu.id')),
  total: (pods) => `${countOf(pods.length, 'pod')}, ${perHour(sum(pods.map(ofPod)))}`,
  examples: [
    ['berth pods list --status RUNNING --older-than 3d', 'running for long'],
    ["berth pods list --match 'train-*' --sort -cost", 'the most expensive first'],
  ],
});
