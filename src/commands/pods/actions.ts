/** start, stop, restart and terminate: one or several pods, by ids, names or selectors. */
import { type ApiAnswer, rowRequest } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, unknownOutcome, unlessFailed } from '../../core/failure.ts';
import type { Id } from '../../core/ids.ts';
import { arrayAt, isObject, type Json, memberAt } from '../../core/json.ts';
import { berth, type Message } from '../../core/message.ts';
import { idOf } from '../../output/view.ts';
import { ask, asks, requireYes } from '../../cli/ask.ts';
import { run } from '../../cli/hint.ts';
import { type Command, type CommandWords, defineCommand, waitOptions, yesOption } from '../../cli/model/command.ts';
import { either, outcomesSchema } from '../../cli/model/output-schema.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { option } from '../../cli/model/params.ts';
import { catalogOf, ofNewPod, ofPod, perHour, sum } from '../../cli/money.ts';
import { remove } from '../../cli/resource/noun-writes.ts';
import { podAction } from '../../cli/resource/collections.ts';
import { idsArgument, rowSchema, selectorOptions } from '../../cli/resource/arguments.ts';
import { SEVERAL } from '../../cli/resource/several.ts';
import { choose, each, labelOf, report, type Selection } from '../../cli/resource/targets.ts';
import { countOf } from '../../cli/words.ts';
import { lacksHardware, REACHABLE, statusOf } from './reachable.ts';
import { inOwnWords, untilRoom } from './place.ts';
import { isLocked, PODS } from './fields.ts';
import { waitFor, waitResult } from './wait.ts';

type Verb = 'start' | 'stop' | 'restart';

interface Action extends CommandWords {
  /** `stopped`. */
  readonly done: string;
  /** Statuses in which there is nothing left to do. */
  readonly reached: readonly string[];
  /** The status of a pod to which it has not happened. */
  readonly before: string;
}

function actionCommand(verb: Verb, { done, reached, before, details, ...words }: Action): () => Command {
  const goal = verb === 'stop' ? 'EXITED' : REACHABLE;
  return () =>
    defineCommand({
      ...words,
      details: `${details ?? ''} Selectors skip pods that cannot ${verb} now. ${SEVERAL}`,
      args: { id: idsArgument(PODS) },
      options: {
        ...waitOptions(`wait until it is ${goal}`),
        ...(verb === 'start' ? { untilAvailable: option.durationWithUnit('wait this long for free GPUs') } : {}),
        ...selectorOptions(PODS.table, 'pods'),
        yes: yesOption,
      },
      output: () => either(rowSchema(PODS), outcomesSchema()),
      writes: true,
      exits: [EXIT.waitEnded, EXIT.jobFailed],
      costs: verb === 'start',
      run: async (ctx, values) => {
        const given = values as unknown as Selection & { readonly untilAvailable?: number };
        const isSelected = given.id.length === 0;
        if (isSelected) requireYes(ctx);
        const chosen = await choose(ctx, PODS, given);
        const able = chosen.targets.filter(({ row }) => row === undefined || whyNot(row, verb) === undefined);
        // Beside others, those that are already as wanted are not worth a word.
        const skipped = chosen.targets.flatMap(({ row = null }) => {
          const isQuiet = row === null || (able.length > 0 && reached.includes(statusOf(row)));
          const reason = isQuiet ? undefined : whyNot(row, verb);
          return reason === undefined ? [] : [`${labelOf(row)}: ${reason}`];
        });
        if (skipped.length > 0) await ctx.tell(`skipped ${skipped.join(', ')}`);
        const rows = able.flatMap(({ row }) => row ?? []);
        if (asks(ctx) && rows.length > 0) {
          await ctx.tellRows(PODS.view, rows);
          // A stopped pod costs nothing by its own row.
          const costOf = async (pod: Json) =>
            verb === 'start' ? ofNewPod(pod, await catalogOf(ctx, pod)) : ofPod(pod);
          const costs = await unlessFailed(ctx, () => Promise.all(rows.map(costOf)));
          const price = costs === undefined ? 'unknown price' : perHour(sum(costs));
          await ask(ctx, { line: `${countOf(rows.length, 'pod')} will be ${done}: ${price}.` });
        }
        const send = async (id: Id<'pod'>) => {
          const answer = await act(ctx, verb, id, reached);
          // A wait sees for itself.
          if (!values.wait && statusOf(answer.value ?? null) === before)
            throw unknownOutcome(`pod ${id} is ${before} after its ${verb} was accepted`, berth`pods get ${id}`, id);
          return answer;
        };
        const sent = await each(ctx, PODS, able, (id) =>
          given.untilAvailable === undefined ? send(id) : untilRoom(ctx, id, () => send(id), given.untilAvailable),
        );
        const pods = values.wait ? await waitFor(ctx, sent, goal, values.waitTimeout) : sent;
        const tail = verb === 'start' ? (pod: Json) => ` (${perHour(ofPod(pod))})` : undefined;
        const result =
          values.wait && pods.length > 0
            ? waitResult(ctx, pods, isSelected, goal)
            : report(ctx, PODS, chosen, pods, done, tail);
        const notes = pods.flatMap(({ answer }) => useless(answer?.value ?? null));
        return { ...result, notes: [...(result.notes ?? []), ...notes] };
      },
    });
}

/** A service that does not list actions is asked. */
function whyNot(pod: Json, verb: Verb): string | undefined {
  if (verb !== 'start' && isLocked(pod)) return 'locked';
  return arrayAt(pod, 'actions')?.includes(verb) === false ? statusOf(pod) : undefined;
}

/** Sends the action. A pod that is already as wanted is no failure: only a refusal (409) is looked into. */
async function act(ctx: CommandContext, verb: Verb, id: Id<'pod'>, reached: readonly string[]): Promise<ApiAnswer> {
  try {
    return await ctx.api.send(podAction(id, verb));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.status !== 409 || reached.length === 0)
      throw inOwnWords(error, verb === 'start' ? undefined : 'Try again later, or create another pod.');
    const answer = await unlessFailed(ctx, () => ctx.api.send(rowRequest(PODS, id)));
    const pod = answer?.value ?? null;
    if (answer !== undefined && reached.includes(statusOf(pod))) return { ...answer, unchanged: true };
    throw isLocked(pod) ? error.with({ hint: run(berth`pods update ${id} --locked off`) }) : error;
  }
}

/** A stopped pod may come back without its GPU: it is paid for, and of no use. */
const useless = (pod: Json): readonly Message[] =>
  statusOf(pod) === 'RUNNING' && lacksHardware(pod)
    ? [`pod ${labelOf(pod)} has no GPU.`, run(berth`pods stop ${idOf(pod)}`)]
    : [];

export const start = actionCommand('start', {
  summary: 'start stopped pods',
  details: 'A pod starts on the machine that it had, and is billed again.',
  done: 'started',
  reached: ['PROVISIONING', 'STARTING', 'RUNNING'],
  before: 'EXITED',
  examples: [
    ['berth pods start lab --until-available 6h --wait', 'as soon as its machine has free GPUs'],
    ["berth pods start --match 'nightly-*' --yes", 'several, in a script'],
  ],
});

export const stop = actionCommand('stop', {
  summary: 'stop pods: keep volumes, release the GPU',
  details: 'The container disk is erased. A persistent mount is billed until the pod is terminated.',
  done: 'stopped',
  reached: ['EXITED'],
  before: 'RUNNING',
  examples: [
    ['berth pods stop lab', 'one'],
    ["berth pods stop --match 'train-*' --older-than 1d --dry-run", 'the requests that would be sent'],
  ],
});

export const restart = actionCommand('restart', {
  summary: 'restart the container of running pods',
  details: 'The container disk is erased; volumes are kept.',
  done: 'restarted',
  reached: [],
  before: 'EXITED',
  examples: [['berth pods restart train-llm --wait', 'and wait until it can be reached']],
});

/** The service refuses to stop a locked pod, and terminates it: berth refuses that too. */
const lockedOf = (pods: readonly Json[]): ReadonlyMap<string, string> =>
  new Map(pods.filter(isLocked).map((pod) => [idOf(pod), `pod ${labelOf(pod)} is locked`]));

export const terminate = remove(PODS, {
  summary: 'terminate pods for good',
  details: 'delete and terminate are one command. A locked pod is refused without --force.',
  loses: 'container disk and persistent mount (network volumes are kept)',
  done: 'terminated',
  typed: (pod) => isObject(memberAt(pod, 'mounts.persistent')),
  inUse: (_, pods) => Promise.resolve(lockedOf(pods)),
  hint: (pod) => run(berth`pods update ${idOf(pod)} --locked off`),
  examples: [
    ['berth pods terminate old-experiment --yes', 'in a script'],
    ["berth pods terminate --match 'test-*' --older-than 1d --yes", 'several'],
  ],
});
