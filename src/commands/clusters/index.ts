import { defineGroup } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { remainingAfterDelete, rowsUnlessFailed, totalWithAccount } from '../../cli/money/account-line.ts';
import { hasKnownPlaces, hasSoMany, largeDisk, largeDiskLine, withTemplateDisks } from '../../cli/money/disks.ts';
import { podsRate, rateText, rateWithUnknown } from '../../cli/money/hourly-cost.ts';
import { AT_UNKNOWN_PRICE, type Price } from '../../cli/resource/ask-before-write.ts';
import { labelOf } from '../../cli/resource/choose.ts';
import * as collections from '../../cli/resource/collections.ts';
import { PODS } from '../../cli/resource/collections.ts';
import { deleteCommand } from '../../cli/resource/delete.ts';
import { bodyOf } from '../../cli/resource/field-writes.ts';
import { listCommand } from '../../cli/resource/list.ts';
import { catalogRow } from '../../cli/resource/pickers.ts';
import { getCommand, type Resource, resourceOf } from '../../cli/resource/read.ts';
import type { WaitSpec } from '../../cli/resource/wait-for-row.ts';
import { createCommand, updateCommand } from '../../cli/resource/write.ts';
import { countOf } from '../../cli/words.ts';
import { checkTemplate, CLUSTER_TABLE, MAX_PODS, memberView, MIN_PODS } from './fields.ts';
import { POD_TABLE } from '../pods/fields.ts';
import { inOwnWords } from '../pods/refusals.ts';
import { type Json, type JsonObject, memberAt, numberAt, objectOf, stringAt } from '../../core/json.ts';
import { berth, sentence } from '../../core/message.ts';
import { formatDollars } from '../../core/units.ts';
import { idOf } from '../../output/view.ts';

/** Adds `cost`, the sum of its pods, if all of them are listed with costs. Rethrows an interrupt. */
async function withCosts(ctx: CommandContext, clusters: readonly Json[]): Promise<readonly Json[]> {
  const pods = (await rowsUnlessFailed(ctx, PODS)) ?? [];
  return clusters.map((cluster) => {
    const own = pods.filter((pod) => memberAt(pod, 'cluster.id') === idOf(cluster));
    const { total, unknown } = podsRate(own);
    const isWhole = own.length === numberAt(cluster, 'pods.total') && unknown.length === 0;
    return isWhole ? { ...objectOf(cluster), cost: total } : cluster;
  });
}

/** `$38.24 an hour`; undefined if unknown. Rethrows an interrupt. */
async function costOf(ctx: CommandContext, cluster: Json): Promise<string | undefined> {
  const rate = podsRate(await withCosts(ctx, [cluster]));
  return rate.unknown.length === 0 ? rateText(rate) : undefined;
}

async function savingOf(ctx: CommandContext, clusters: readonly Json[]): Promise<string> {
  return `It saves ${rateWithUnknown(podsRate(await withCosts(ctx, clusters)))}.`;
}

const CLUSTERS = resourceOf(collections.CLUSTERS, CLUSTER_TABLE);

const MEMBERS: Resource = { ...collections.PODS, path: ['pods'], table: POD_TABLE, view: memberView };

/** Undefined for a GPU type or place not in the catalog, which the service refuses. Fails as the catalog. */
async function price(ctx: CommandContext, body: JsonObject): Promise<Price | undefined> {
  const row = await catalogRow(ctx, collections.GPUS, stringAt(body, 'compute.gpuTypeId') ?? '');
  const each = numberAt(row, 'price.secure') ?? 0;
  const gpus = numberAt(body, 'compute.gpuCountPerPod');
  const pods = numberAt(body, 'compute.podCount');
  if (row === undefined || gpus === undefined || pods === undefined) return undefined;
  if (!hasSoMany(row, 'SECURE', gpus) || !(await hasKnownPlaces(ctx, body))) return undefined;
  const cost =
    each === 0
      ? 'a price that the catalog does not tell.'
      : `${formatDollars(each * gpus * pods)} an hour (${formatDollars(each)} a GPU).`;
  const whole = await withTemplateDisks(ctx, body);
  const mountGb = numberAt(whole, 'mounts.persistent.size');
  const lines = [
    `${countOf(gpus, 'GPU')} on each of ${pods} pods: ${cost}`,
    largeDiskLine(whole, 'pod'),
    mountGb === undefined
      ? undefined
      : `The persistent mount of each pod (${mountGb} GB) is paid too, at a price that is not published.`,
  ];
  const andDisks = [
    largeDisk(whole) === undefined ? '' : ' and the container disks',
    mountGb === undefined ? '' : ' and the persistent mounts',
  ].join('');
  return {
    line: lines.filter((line) => line !== undefined).join(' '),
    asks: true,
    inQuestion: each === 0 ? AT_UNKNOWN_PRICE : `for ${formatDollars(each * gpus * pods)} an hour${andDisks}`,
  };
}

const countOfStatus = (row: Json, name: string): number => numberAt(row, `pods.byStatus.${name}`) ?? 0;

const RUNNING: WaitSpec = {
  until: 'RUNNING',
  done: (row) => countOfStatus(row, 'RUNNING') === numberAt(row, 'pods.total'),
  bad: (row) => countOfStatus(row, 'ERROR') > 0,
  describe: (row) => `${countOfStatus(row, 'RUNNING')} of ${countOf(numberAt(row, 'pods.total') ?? 0, 'pod')}`,
  resumeCommand: (id) => berth`clusters get ${id} --watch`,
  perHour: costOf,
  stillRunning: (row, perHour) =>
    sentence`Still paid: the pods of cluster ${labelOf(row)}${perHour === undefined ? '' : `, ${perHour}`}: ${berth`clusters delete ${idOf(row)}`}`,
};

const pods = listCommand(MEMBERS, {
  of: collections.CLUSTERS,
  summary: 'list the pods of a cluster',
  examples: [
    ['berth clusters pods train', 'their state, rank and address'],
    ['berth clusters pods train --watch', 'again every 2 seconds until Ctrl-C'],
  ],
  watch: true,
});

export const clusters = defineGroup('pods that work together on a fast network', {
  list: listCommand(CLUSTERS, {
    summary: 'list clusters',
    total: totalWithAccount('cluster'),
    complete: withCosts,
    examples: [['berth clusters list', 'with the state of their pods']],
  }),
  get: getCommand(CLUSTERS, {
    summary: 'show a cluster',
    complete: withCosts,
    examples: [
      ['berth clusters get train', 'by its name'],
      ['berth clusters get train --watch', 'again every 2 seconds until Ctrl-C'],
    ],
    watch: true,
  }),
  create: createCommand(CLUSTERS, 'clusters', {
    summary: 'create a cluster',
    costs: true,
    details: `A cluster has ${MIN_PODS} to ${MAX_PODS} pods of one GPU type. Later it can be renamed, and nothing else.`,
    ...bodyOf(CLUSTER_TABLE, 'create'),
    needed: ['name', 'type', 'gpu', 'gpuCount', 'pods'],
    setExample: 'compute.podCount=4',
    adapt: (document) => ({
      ...document,
      ...(typeof document['dataCenterId'] === 'string' ? { dataCenterIds: [document['dataCenterId']] } : {}),
    }),
    price,
    check: (body) => {
      checkTemplate(body);
    },
    references: { templateId: collections.TEMPLATES, 'mounts.network.0.volumeId': collections.VOLUMES },
    refused: (failure) => inOwnWords(failure, 'create of a cluster'),
    wait: RUNNING,
    examples: [
      [
        'berth clusters create --name research --type TRAINING --gpu GPU-80G --gpu-count 8 --pods 4 --image example/pytorch:2.8 --wait',
        '32 GPUs, once all its pods run',
      ],
      [
        'berth clusters create --name r --type RAY --gpu GPU-80G --gpu-count 8 --pods 2 -- ray start --head',
        'with a command of its own in every pod',
      ],
    ],
  }),
  update: updateCommand(CLUSTERS, 'clusters', {
    summary: 'rename a cluster',
    ...bodyOf(CLUSTER_TABLE, 'update'),
    examples: [['berth clusters update research --name research-2', 'rename it']],
  }),
  delete: deleteCommand(CLUSTERS, 'clusters', {
    summary: 'delete clusters and terminate their pods',
    examples: [['berth clusters delete research-2 --yes', 'without a question, for scripts']],
    loss: 'Its pods are terminated.',
    saving: savingOf,
    remaining: remainingAfterDelete,
  }),
  pods,
});
