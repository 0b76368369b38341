import { run } from '../../cli/hint.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { ofNewCluster, perHour } from '../../cli/money.ts';
import { CLUSTERS as COLLECTION, GPUS, TEMPLATES, VOLUMES } from '../../cli/resource/collections.ts';
import { textColumn } from '../../cli/resource/fields.ts';
import { get, list, noun } from '../../cli/resource/noun.ts';
import { create, remove, update } from '../../cli/resource/noun-writes.ts';
import { lookupRows } from '../../cli/resource/pages.ts';
import { readRow, resource } from '../../cli/resource/targets.ts';
import { type Goal, until } from '../../cli/until.ts';
import { countOf } from '../../cli/words.ts';
import { PODS } from '../pods/fields.ts';
import { inOwnWords } from '../pods/place.ts';
import { CLUSTER_TABLE, compute, MAX_PODS, MIN_PODS } from './fields.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { type Json, numberAt } from '../../core/json.ts';
import { berth } from '../../core/message.ts';
import { answerResult, idOf, type Result, type View } from '../../output/view.ts';

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
  create: create(CLUSTERS, {
    details: `A cluster has ${MIN_PODS} to ${MAX_PODS} pods of one GPU type. Only its name can change later.`,
    needed: ['name', 'type', 'gpu', 'gpuCount', 'pods'],
    example: 'compute.podCount=4',
    references: { templateId: TEMPLATES, 'mounts.network.0.volumeId': VOLUMES },
    fromPrinted: ({ dataCenterId, ...cluster }) => ({
      ...cluster,
      ...(typeof dataCenterId === 'string' ? { dataCenterIds: [dataCenterId] } : {}),
    }),
    price: async (body, ctx) => `${compute(body) ?? ''}: ${perHour(ofNewCluster(body, await lookupRows(ctx, GPUS)))}`,
    send: (ctx, request) =>
      ctx.api.send(request).catch((error: unknown) => {
        if (!(error instanceof Failure)) throw error;
        throw inOwnWords(error, run(berth`catalog gpus --available --product CLUSTER`));
      }),
    wait: { summary: 'wait until all its pods are RUNNING', end: waited },
    exits: [EXIT.jobFailed],
    examples: [
      [
        'berth clusters create research --type TRAINING --gpu GPU-80G --gpu-count 8 --pods 4 --image example/pytorch:2.8 --wait',
        '32 GPUs, once all its pods run',
      ],
    ],
  }),
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
