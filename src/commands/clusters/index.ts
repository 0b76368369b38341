import { run } from '../../cli/hint.ts';
import { defineCommand, type Values, waitOptions, yesOption } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { ofNewCluster, perHour, tellPrice } from '../../cli/money.ts';
import { rowSchema } from '../../cli/resource/arguments.ts';
import { CLUSTERS as COLLECTION, GPUS, TEMPLATES, VOLUMES } from '../../cli/resource/collections.ts';
import { textColumn } from '../../cli/resource/fields.ts';
import { get, list, noun } from '../../cli/resource/noun.ts';
import { post, remove, update, written } from '../../cli/resource/noun-writes.ts';
import { lookupRows } from '../../cli/resource/pages.ts';
import { bodyArguments, bodyFlags, bodyFrom, type BodyRules, withReferences } from '../../cli/resource/request-body.ts';
import { readRow, resource } from '../../cli/resource/targets.ts';
import { type Goal, until } from '../../cli/until.ts';
import { countOf } from '../../cli/words.ts';
import { PODS } from '../pods/fields.ts';
import { inOwnWords } from '../pods/place.ts';
import { CLUSTER_TABLE, compute, MAX_PODS, MIN_PODS } from './fields.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { type Json, type JsonObject, numberAt } from '../../core/json.ts';
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
    const priceOf = async () => perHour(ofNewCluster(body, await lookupRows(ctx, GPUS)));
    await tellPrice(ctx, async () => `${compute(body) ?? ''}: ${await priceOf()}`);
    const send = (known: JsonObject) => ctx.api.send(post(CLUSTERS, known));
    const answer = await withReferences(ctx, body, REFERENCES, send).catch((error: unknown) => {
      if (!(error instanceof Failure)) throw error;
      throw inOwnWords(error, run(berth`catalog gpus --available --product CLUSTER`));
    });
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
