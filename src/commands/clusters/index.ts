import { usage } from '../../core/failure.ts';
import { arrayOf, memberAt, numberOf, stringOf, type Json, type JsonObject } from '../../core/json.ts';
import { formatDollars } from '../../core/units.ts';
import { defineCommand, defineGroup } from '../../cli/command.ts';
import type { CommandContext } from '../../cli/context.ts';
import { sendTo } from '../../cli/resource/identify.ts';
import { arg, option } from '../../cli/parse/params.ts';
import type { Members } from '../../cli/resource/body.ts';
import { getCommand, listCommand, type Resource } from '../../cli/resource/read.ts';
import { createCommand, deleteCommand, updateCommand, type WaitSpec } from '../../cli/resource/write.ts';
import { commandLine, countOf } from '../../cli/words.ts';
import { catalogRow, pickGpu } from '../shared/choices.ts';
import * as collections from '../shared/collections.ts';
import { CONTAINER_MEMBERS } from '../shared/container.ts';
import { clusterView, countIn, memberView } from './view.ts';

const CLUSTERS: Resource = { ...collections.CLUSTERS, view: clusterView };

/** Pods of one cluster (contract rules, Clusters). */
const FEWEST = 2;
const MOST = 250;

const { image, args, disk, port, env } = CONTAINER_MEMBERS;

const NAME = {
  param: option.text('what to call it', { metavar: 'NAME', ask: { kind: 'text', question: 'Name' } }),
  path: 'name',
} as const;

const MEMBERS = {
  name: NAME,
  type: {
    param: option.choice('what it is for', ['APPLICATION', 'TRAINING', 'SLURM', 'RAY'], {
      ask: {
        kind: 'pick',
        question: 'Type',
        choices: () =>
          Promise.resolve(['APPLICATION', 'TRAINING', 'SLURM', 'RAY'].map((value) => ({ name: value, value }))),
      },
    }),
    path: 'type',
  },
  gpu: {
    param: option.text('the GPU type of every pod', { metavar: 'GPU', ask: pickGpu('CLUSTER') }),
    path: 'compute.gpuTypeId',
  },
  gpuCount: {
    param: option.count('GPUs of each pod', 1, { ask: { kind: 'text', question: 'GPUs of each pod' } }),
    path: 'compute.gpuCountPerPod',
  },
  pods: {
    param: option.count(`pods, ${String(FEWEST)} to ${String(MOST)}`, Number.MIN_SAFE_INTEGER, {
      ask: { kind: 'text', question: `Pods (${String(FEWEST)} to ${String(MOST)})` },
    }),
    path: 'compute.podCount',
  },
  image,
  args,
  disk,
  port,
  env,
  dataCenter: { param: option.list('data centers it may be placed in', { metavar: 'DC' }), path: 'dataCenterIds' },
  networkVolume: {
    param: option.text('network volume for every pod, by id or name', { metavar: 'VOLUME[:PATH]' }),
    path: 'mounts.network',
    value: mountOf,
  },
  startSsh: { param: option.on('start an SSH server in every pod'), path: 'startSsh' },
  startJupyter: { param: option.on('start Jupyter in every pod'), path: 'startJupyter' },
} as const satisfies Members;

/** `VOLUME:PATH`; /workspace is where clusters have it (specification 2.4). */
function mountOf(given: string): Json {
  const at = given.indexOf(':/');
  if (at === 0 || given === '') throw usage('--network-volume is empty');
  return [
    at < 0 ? { volumeId: given, path: '/workspace' } : { volumeId: given.slice(0, at), path: given.slice(at + 1) },
  ];
}

function check(body: JsonObject): void {
  const pods = numberOf(memberAt(body, 'compute.podCount'));
  if (pods !== undefined && (pods < FEWEST || pods > MOST))
    throw usage(`--pods: a cluster has ${String(FEWEST)} to ${String(MOST)} pods; ${String(pods)} is not among them`);
}

/** `8 GPUs on each of 4 pods cost $76.48 an hour.` */
async function price(ctx: CommandContext, body: JsonObject): Promise<string | undefined> {
  const row = await catalogRow(ctx, collections.GPUS, stringOf(memberAt(body, 'compute.gpuTypeId')) ?? '');
  const each = numberOf(memberAt(row, 'price.secure'));
  const gpus = numberOf(memberAt(body, 'compute.gpuCountPerPod'));
  const pods = numberOf(memberAt(body, 'compute.podCount'));
  if (each === undefined || each === 0 || gpus === undefined || pods === undefined) return undefined;
  return `${countOf(gpus, 'GPU')} on each of ${String(pods)} pods: ${formatDollars(each * gpus * pods)} an hour (${formatDollars(each)} a GPU).`;
}

const RUNNING: WaitSpec = {
  until: 'RUNNING',
  done: (row) => countIn(row, 'RUNNING') === numberOf(memberAt(row, 'pods.total')),
  bad: (row) => countIn(row, 'ERROR') > 0,
  describe: (row) =>
    `${String(countIn(row, 'RUNNING'))} of ${countOf(numberOf(memberAt(row, 'pods.total')) ?? 0, 'pod')}`,
  resumeCommand: (id) => commandLine('clusters', 'get', id, '--watch'),
};

const pods = defineCommand({
  summary: 'list the pods of a cluster',
  args: { id: arg.text('cluster id or name', { metavar: 'CLUSTER' }) },
  watch: true,
  run: async (ctx, { id }) => {
    const { answer } = await sendTo(ctx, CLUSTERS, id, (known) => ({
      service: 'base',
      method: 'GET',
      path: [...CLUSTERS.path, known, 'pods'],
      id: known,
      expects: { list: 'pods' },
    }));
    const values = arrayOf(memberAt(answer.value, 'pods')) ?? [];
    return { kind: 'many', view: memberView, values, source: { text: answer.text, member: 'pods' } };
  },
});

/** What of a cluster cannot be written (contract, Cluster). */
const PRINTS = ['template', 'dataCenterId', 'pods', 'network', 'primary'];

export const clusters = defineGroup('pods that work together on a fast network', {
  list: listCommand(CLUSTERS, { summary: 'list clusters' }),
  get: getCommand(CLUSTERS, { summary: 'show a cluster', watch: true }),
  create: createCommand(CLUSTERS, 'clusters', {
    summary: 'create a cluster',
    details: `A cluster has ${String(FEWEST)} to ${String(MOST)} pods of one GPU type. Later it can be renamed, and nothing else.`,
    members: MEMBERS,
    needed: ['name', 'type', 'gpu', 'gpuCount', 'pods'],
    accepts: [
      ...['name', 'type', 'compute', 'image', 'args', 'disk', 'ports', 'env', 'dataCenterIds', 'mounts'],
      ...['startSsh', 'startJupyter'],
    ],
    setExample: 'compute.podCount=4',
    prints: PRINTS,
    adapt: (document) => ({
      ...document,
      ...(typeof document['dataCenterId'] === 'string' ? { dataCenterIds: [document['dataCenterId']] } : {}),
    }),
    check,
    price,
    references: { 'mounts.network.0.volumeId': collections.VOLUMES },
    wait: RUNNING,
    examples: [
      [
        'berth clusters create --name train --type TRAINING --gpu GPU --gpu-count 8 --pods 4 --image IMAGE --wait',
        '32 GPUs, once all its pods run',
      ],
    ],
  }),
  update: updateCommand(CLUSTERS, 'clusters', {
    summary: 'rename a cluster',
    members: { name: NAME },
    accepts: ['name'],
    prints: [...PRINTS, 'type', 'compute'],
    examples: [['berth clusters update CLUSTER --name NAME', 'rename it']],
  }),
  delete: deleteCommand(CLUSTERS, 'clusters', {
    summary: 'delete clusters and terminate their pods',
    loss: 'Its pods are terminated.',
  }),
  pods,
});
