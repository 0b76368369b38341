import { CONTAINER_FIELDS, CREATED_AT, createOnly, NAME_FLAG } from '../cli/container.ts';
import { run } from '../cli/hint.ts';
import { defineCommand, type Values, waitOptions, yesOption } from '../cli/model/command.ts';
import type { CommandContext } from '../cli/model/context.ts';
import { ofNewCluster, perHour, tellPrice } from '../cli/money.ts';
import { CLUSTERS as COLLECTION, DATA_CENTERS, GPUS, TEMPLATES, VOLUMES } from '../cli/resource/collections.ts';
import { defineTable, type Fields, textColumn } from '../cli/resource/fields.ts';
import { bodyArguments, bodyFlags, bodyFrom, type BodyRules, withReferences } from '../cli/resource/request-body.ts';
import { post, remove, update, written } from '../cli/resource/noun-writes.ts';
import { get, list, noun } from '../cli/resource/noun.ts';
import { pickOfCatalog, rowSchema } from '../cli/resource/arguments.ts';
import { lookupRows } from '../cli/resource/pages.ts';
import { readRow, resource } from '../cli/resource/targets.ts';
import { type Goal, until } from '../cli/until.ts';
import { countOf } from '../cli/words.ts';
import { PODS } from './pods/fields.ts';
import { networkMount } from './pods/pod-cells.ts';
import { inOwnWords } from './pods/place.ts';
import { EXIT } from '../core/exit-codes.ts';
import { Failure } from '../core/failure.ts';
import { type Json, numberAt, objectAt } from '../core/json.ts';
import { berth } from '../core/message.ts';
import { text } from '../output/cells.ts';
import { answerResult, idOf, type Result, type View } from '../output/view.ts';

/** Contract rules, Clusters. */
const MIN_PODS = 2;
const MAX_PODS = 250;

const TYPES = ['APPLICATION', 'TRAINING', 'SLURM', 'RAY'] as const;

const { image, args, entrypoint, cmd, command, disk, port, env, envFrom } = CONTAINER_FIELDS;
const CONTAINER = Object.fromEntries(
  Object.entries({ image, args, entrypoint, cmd, command, disk, port, env, envFrom }).map(([key, field]) => [
    key,
    createOnly(field),
  ]),
);

const FIELDS = {
  id: { path: 'id' },
  name: { path: 'name', write: NAME_FLAG },
  type: {
    path: 'type',
    values: TYPES,
    create: {
      choice: 'what it is for',
      choices: TYPES,
      ask: { kind: 'pick', question: 'Type', choices: async () => TYPES.map((value) => ({ name: value, value })) },
    },
  },
  compute: { path: 'compute', type: 'object', show: compute, create: 'accepted' },
  gpu: {
    path: 'compute.gpuTypeId',
    create: { text: 'the GPU type of every pod', metavar: 'GPU', complete: GPUS, ask: pickOfCatalog(GPUS, 'CLUSTER') },
  },
  gpuCount: {
    path: 'compute.gpuCountPerPod',
    type: 'count',
    create: {
      count: 'GPUs of each pod',
      least: 1,
      ask: { kind: 'text', question: 'GPUs of each pod', answer: 'a number of GPUs' },
    },
  },
  pods: {
    path: 'compute.podCount',
    type: 'count',
    create: {
      count: `pods, ${MIN_PODS} to ${MAX_PODS}`,
      least: Number.MIN_SAFE_INTEGER,
      ask: { kind: 'text', question: `Pods (${MIN_PODS} to ${MAX_PODS})`, answer: 'a number of pods' },
    },
  },
  templateUsed: { path: 'template' },
  template: {
    path: 'templateId',
    writeOnly: true,
    create: {
      text: 'the container of every pod: a pod template, by id or name',
      metavar: 'TEMPLATE',
      complete: TEMPLATES,
    },
  },
  dataCenterId: { path: 'dataCenterId', label: 'data center' },
  podTotal: { path: 'pods.total', type: 'count' },
  podStatuses: {
    path: 'pods.byStatus',
    type: 'object',
    label: 'status',
    show: podStatuses,
    column: { header: 'PODS' },
  },
  networkCidr: { path: 'network.cidr' },
  networkVxlanId: { path: 'network.vxlanId', label: 'vxlan id' },
  networkVxlanPort: { path: 'network.vxlanPort', label: 'vxlan port' },
  primaryPod: { path: 'primary.podId', label: 'pod' },
  primaryStatus: { path: 'primary.status', type: 'status' },
  primarySsh: { path: 'primary.sshEndpoint', label: 'ssh' },
  createdAt: CREATED_AT,
  ...CONTAINER,
  dataCenter: {
    path: 'dataCenterIds',
    type: 'list',
    writeOnly: true,
    create: { list: 'data centers it may be placed in', metavar: 'DC', complete: DATA_CENTERS },
  },
  mounts: { path: 'mounts', type: 'object', writeOnly: true, create: 'accepted' },
  networkVolume: {
    path: 'mounts.network',
    type: 'objects',
    writeOnly: true,
    create: {
      text: 'network volume for every pod, by id or name',
      metavar: 'VOLUME[:PATH]',
      complete: VOLUMES,
      value: (given: string): Json => networkMount(given, undefined),
    },
  },
  startSsh: {
    path: 'startSsh',
    type: 'flag',
    writeOnly: true,
    create: { on: 'start an SSH server in every pod' },
  },
  startJupyter: {
    path: 'startJupyter',
    type: 'flag',
    writeOnly: true,
    create: { on: 'start Jupyter in every pod' },
  },
} as const satisfies Fields;

export const CLUSTER_TABLE = defineTable({
  noun: ['cluster', 'clusters'],
  fields: FIELDS,
  table: ['id', 'name', 'type', 'compute', 'podStatuses', 'dataCenterId', 'createdAt'],
  detail: [
    { fields: ['id', 'name', 'type', 'compute', 'dataCenterId', 'templateUsed', 'createdAt'] },
    { title: 'pods', fields: ['podTotal', 'podStatuses'] },
    { title: 'primary', fields: ['primaryPod', 'primaryStatus', 'primarySsh'] },
    { title: 'network', fields: ['networkCidr', 'networkVxlanId', 'networkVxlanPort'] },
  ],
});

const CLUSTERS = resource(COLLECTION, CLUSTER_TABLE);

const memberView: View = {
  ...PODS.view,
  columns: [
    textColumn('cluster.rank', { right: true }),
    textColumn('cluster.role'),
    textColumn('cluster.ip'),
    ...PODS.view.columns,
  ],
};

/** `GPU-80G x8 on 2 pods`. */
function compute(row: Json): string | undefined {
  const each = objectAt(row, 'compute');
  return each === undefined
    ? undefined
    : `${text('gpuTypeId')(each)} x${text('gpuCountPerPod')(each)} on ${text('podCount')(each)} pods`;
}

function podStatuses(row: Json): readonly string[] {
  const counts = objectAt(row, 'pods.byStatus') ?? {};
  return Object.entries(counts).flatMap(([name, count]) => (count === 0 ? [] : [`${text(name)(counts)} ${name}`]));
}

const REFERENCES = { templateId: TEMPLATES, 'mounts.network.0.volumeId': VOLUMES };

const RULES: BodyRules = {
  needed: ['name', 'type', 'gpu', 'gpuCount', 'pods'],
  example: 'compute.podCount=4',
  references: REFERENCES,
  fromPrinted: ({ dataCenterId, ...cluster }) => ({
    ...cluster,
    ...(typeof dataCenterId === 'string' ? { dataCenterIds: [dataCenterId] } : {}),
  }),
};

const create = defineCommand({
  summary: 'create a cluster',
  details: `A cluster has ${MIN_PODS} to ${MAX_PODS} pods of one GPU type. Only its name can change later.`,
  args: bodyArguments(CLUSTERS, 'create', RULES),
  options: {
    ...bodyFlags(CLUSTERS, 'create', RULES),
    ...waitOptions('wait until all its pods are RUNNING'),
    // Nothing is asked: scripts may confirm all the same.
    yes: { ...yesOption, hidden: true },
  },
  needed: RULES.needed,
  fields: CLUSTERS.view.paths,
  output: rowSchema(CLUSTERS),
  writes: true,
  costs: true,
  exits: [EXIT.jobFailed],
  examples: [
    [
      'berth clusters create research --type TRAINING --gpu GPU-80G --gpu-count 8 --pods 4 --image example/pytorch:2.8 --wait',
      '32 GPUs, once all its pods run',
    ],
  ],
  run: async (ctx, values: Values) => {
    const body = await bodyFrom(ctx, CLUSTERS, values, RULES);
    await tellPrice(
      ctx,
      async () => `${compute(body) ?? ''}: ${perHour(ofNewCluster(body, await lookupRows(ctx, GPUS)))}`,
    );
    const answer = await withReferences(ctx, body, REFERENCES, (known) => ctx.api.send(post(CLUSTERS, known))).catch(
      (error: unknown) => {
        throw error instanceof Failure
          ? inOwnWords(error, run(berth`catalog gpus --available --product CLUSTER`))
          : error;
      },
    );
    const result = await written(ctx, CLUSTERS, answer, 'created');
    if (values['wait'] !== true) return result;
    return await waited(ctx, result, idOf(answer.value), Number(values['waitTimeout']));
  },
});

const podsThat = (cluster: Json, status: string): number => numberAt(cluster, `pods.byStatus.${status}`) ?? 0;

const RUNNING: Goal = {
  noun: 'cluster',
  name: 'RUNNING',
  done: (cluster) => podsThat(cluster, 'RUNNING') === numberAt(cluster, 'pods.total'),
  stuck: (cluster) => {
    const [failed, id] = [podsThat(cluster, 'ERROR'), idOf(cluster)];
    if (failed === 0) return undefined;
    return new Failure({
      code: 'not-reached',
      exit: EXIT.jobFailed,
      message: `cluster ${id} not RUNNING: ${countOf(failed, 'pod')} in ERROR`,
      hint: run(berth`clusters pods ${id}`, berth`clusters delete ${id}`),
      id,
    });
  },
  describe: (cluster) =>
    `${podsThat(cluster, 'RUNNING')} of ${countOf(numberAt(cluster, 'pods.total') ?? 0, 'pod')} RUNNING`,
  resume: ([id = '']) => berth`clusters get ${id} --watch`,
};

async function waited(ctx: CommandContext, result: Result, id: string, timeoutMs: number): Promise<Result> {
  if (result.kind !== 'one') for (const note of result.notes ?? []) await ctx.tell(note);
  const [end] = await until(ctx, [{ id, read: () => readRow(ctx, CLUSTERS, id) }], RUNNING, timeoutMs);
  // The id or the document is printed, also where the wait fails.
  if (result.kind !== 'one' || end?.answer === undefined) return { ...result, notes: [], failure: end?.failure };
  return { ...answerResult(CLUSTERS.view, end.answer), failure: end.failure };
}

export const clusters = noun('pods that work together on a fast network', {
  list: list(CLUSTERS, { examples: [['berth clusters list', 'with the state of their pods']] }),
  get: get(CLUSTERS, {
    watch: true,
    examples: [
      ['berth clusters get train', 'by its name'],
      ['berth clusters get train --watch', 'again every 2 seconds until Ctrl-C'],
    ],
  }),
  create,
  update: update(CLUSTERS, {
    summary: 'rename a cluster',
    examples: [['berth clusters update research --name research-2', 'rename it']],
  }),
  delete: remove(CLUSTERS, {
    summary: 'delete clusters and terminate their pods',
    loses: 'its pods and all data in them',
    examples: [['berth clusters delete research-2 --yes', 'in a script']],
  }),
  pods: list(
    { ...PODS, path: ['pods'], view: memberView },
    {
      of: COLLECTION,
      summary: 'list the pods of a cluster',
      watch: true,
      examples: [
        ['berth clusters pods train', 'their state, rank and address'],
        ['berth clusters pods train --watch', 'again every 2 seconds until Ctrl-C'],
      ],
    },
  ),
});
