import { defineCommand, waitTimeoutOption } from '../../cli/model/command.ts';
import { OUTCOMES } from '../../cli/model/common-schemas.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { either } from '../../cli/model/output-schema.ts';
import { option } from '../../cli/model/params.ts';
import { hasSelector, nothingSelected, selectTargets } from '../../cli/resource/choose.ts';
import { sendTo } from '../../cli/resource/identify.ts';
import { idsArgument, rowSchema } from '../../cli/resource/read.ts';
import { rowRequest } from '../../cli/resource/requests.ts';
import { selectorOptions } from '../../cli/resource/selectors.ts';
import { type Outcome, outcomeResult, SEVERAL } from '../../cli/resource/several.ts';
import type { WaitSpec } from '../../cli/resource/wait-for-row.ts';
import { isOutage, waitFor } from '../../cli/run/wait.ts';
import { countOf } from '../../cli/words.ts';
import { stillPaidLines } from './action-cost.ts';
import { STATUSES } from './fields.ts';
import { describeReach, isAt, REACHABLE, statusOf, unpublishedNotes } from './reachable.ts';
import { PODS } from './resource.ts';
import type { ApiAnswer } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, isNotFound, rethrowUnlessFailure } from '../../core/failure.ts';
import { type Json, stringAt } from '../../core/json.ts';
import { berth, type CommandLine, lines, type Message, sentence } from '../../core/message.ts';
import { answerResult, idOf, type Result } from '../../output/view.ts';

/** In a final status other than the wanted one. */
export const isStuck = (pod: Json, wanted: string): boolean =>
  !isAt(pod, wanted) && ['ERROR', 'TERMINATED'].includes(statusOf(pod));

const describeFor = (pod: Json, wanted: string): string => (wanted === REACHABLE ? describeReach(pod) : statusOf(pod));

const notesFor = (pod: Json, wanted: string): readonly string[] => (wanted === REACHABLE ? unpublishedNotes(pod) : []);

type Check = (pod: Json, wanted: string) => void;

/** Undefined: the pod does not exist any more. */
type Seen = ApiAnswer | undefined;

const rowOf = (seen: Seen): Json => seen?.value ?? { status: 'TERMINATED' };

const isSettled = (seen: Seen, wanted: string): boolean =>
  seen === undefined || isAt(rowOf(seen), wanted) || isStuck(rowOf(seen), wanted);

type Poll = (wasSeen: boolean) => Promise<Seen | typeof NOT_THERE_YET>;

/** Just created: the service does not have it yet. */
const NOT_THERE_YET = 'not there yet';

/** A pod seen before is then gone; one never seen is the user's mistake: not-found (4). */
function pollOf(ctx: CommandContext, pod: string): Poll {
  const read = () => sendTo(ctx, PODS, pod, (id) => rowRequest(PODS, id));
  return async (wasSeen) => {
    try {
      const found = await read();
      return found.answer;
    } catch (error) {
      if (isNotFound(error) && wasSeen) return undefined;
      throw error;
    }
  };
}

const paidWhile = (pods: readonly Json[], wanted: string): Message | undefined =>
  wanted === REACHABLE || wanted === 'RUNNING' ? lines(...stillPaidLines(pods)) : undefined;

const waitLine = (pods: readonly string[], wanted: string): CommandLine => berth`pods wait ${pods} --for ${wanted}`;

/** Exit 10 if it can no longer get the status. Not-found (4), wait-ended (9), and as `check`. */
export async function waitForPod(
  ctx: CommandContext,
  pod: string,
  wanted: string,
  timeoutMs: number,
  check?: Check,
): Promise<Result> {
  const poll = pollOf(ctx, pod);
  let wasSeen = false;
  let last: Seen;
  await waitFor<boolean>(ctx, {
    what: `pod ${pod} to be ${wanted}`,
    poll: async () => {
      const seen = await poll(wasSeen);
      if (seen === NOT_THERE_YET) return false;
      if (seen !== undefined) check?.(rowOf(seen), wanted);
      wasSeen = true;
      last = seen;
      return isSettled(seen, wanted);
    },
    done: (isOver) => isOver,
    describe: () => (wasSeen ? describeFor(rowOf(last), wanted) : NOT_THERE_YET),
    stillRunning: () => paidWhile([rowOf(last)], wanted),
    timeoutMs,
    resumeCommand: waitLine([pod], wanted),
    id: pod,
    isFirst: check !== undefined,
  });
  const isReached = isAt(rowOf(last), wanted);
  const notes = isReached
    ? last === undefined
      ? [`pod ${pod} is gone.`]
      : notesFor(rowOf(last), wanted)
    : stuckNotes(rowOf(last), wanted, pod);
  const outcome = { notes, exit: isReached ? EXIT.done : EXIT.jobFailed };
  if (last === undefined) return { kind: 'nothing', ...outcome };
  return { ...answerResult(PODS.view, last), ...outcome };
}

const stuckMessage = (pod: string, seen: Seen, wanted: string): string =>
  `pod ${pod} is ${statusOf(rowOf(seen))}: it will not become ${wanted} by itself`;

/** Includes what the pod still costs, and the command that ends it. */
const stuckNotes = (pod: Json, wanted: string, word: string = idOf(pod)): readonly Message[] => [
  `pod ${word} is ${statusOf(pod)}: it will not become ${wanted} by itself.`,
  ...whyLines(word, pod),
  ...stillPaidLines([pod]),
];

const whyLines = (word: string, pod: Json): readonly Message[] =>
  statusOf(pod) === 'ERROR' ? [sentence`Why: ${berth`pods explain ${word}`}`] : [];

/** For a pod in ERROR. */
const hintOf = (pod: string, seen: Seen): readonly Message[] => whyLines(pod, rowOf(seen));

/** Failures belong to their pods; a timeout or interrupt belongs to the pods still waited for. */
export async function waitForEach(
  ctx: CommandContext,
  pods: readonly string[],
  wanted: string,
  timeoutMs: number,
  check?: Check,
): Promise<readonly Outcome[]> {
  const seen = new Map<string, Seen>();
  const failures = new Map<string, Failure>();
  const polls = new Map(pods.map((pod) => [pod, pollOf(ctx, pod)]));
  const open = (): readonly string[] =>
    pods.filter((pod) => !failures.has(pod) && !(seen.has(pod) && isSettled(seen.get(pod), wanted)));
  const pollOne = async (pod: string): Promise<void> => {
    try {
      const answer = await polls.get(pod)?.(seen.has(pod));
      if (answer === NOT_THERE_YET) return;
      seen.set(pod, answer);
      if (answer !== undefined) check?.(rowOf(answer), wanted);
    } catch (error) {
      if (isOutage(error)) throw error;
      rethrowUnlessFailure(error, ctx);
      failures.set(pod, error);
    }
  };
  try {
    await waitFor<readonly string[]>(ctx, {
      what: `${countOf(pods.length, 'pod')} to be ${wanted}`,
      poll: async () => {
        for (const pod of open()) await pollOne(pod);
        return open();
      },
      done: (left) => left.length === 0,
      describe: (left) =>
        left.map((pod) => (seen.has(pod) ? describeFor(rowOf(seen.get(pod)), wanted) : NOT_THERE_YET)).join(', '),
      stillRunning: (left) =>
        paidWhile(
          left.map((pod) => rowOf(seen.get(pod))),
          wanted,
        ),
      timeoutMs,
      resumeCommand: waitLine(pods, wanted),
      isFirst: check !== undefined,
    });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const left = open();
    const hint = error.code === 'wait-ended' ? { hint: sentence`Go on waiting: ${waitLine(left, wanted)}` } : {};
    for (const pod of left) failures.set(pod, error.with({ ...hint, message: leftMessage(pod, error, seen, wanted) }));
  }
  return pods.map((pod) => {
    const id = ctx.ids.get(PODS, pod) ?? pod;
    const known = { id, name: stringAt(seen.get(pod)?.value, 'name') };
    const status = seen.has(pod) ? statusOf(rowOf(seen.get(pod))) : undefined;
    const failure = failures.get(pod);
    if (failure !== undefined || (seen.has(pod) && isAt(rowOf(seen.get(pod)), wanted)))
      return { ...known, status, failure };
    const message = stuckMessage(id, seen.get(pod), wanted);
    const [hint] = hintOf(id, seen.get(pod));
    return { ...known, status, failure: new Failure({ code: 'not-reached', exit: EXIT.jobFailed, message, hint, id }) };
  });
}

function leftMessage(pod: string, { code, message }: Failure, seen: ReadonlyMap<string, Seen>, wanted: string): string {
  const status = seen.has(pod) ? `is ${describeFor(rowOf(seen.get(pod)), wanted)}` : 'was not looked at';
  return `${code === 'wait-ended' ? 'the wait ended' : message}: pod ${pod} ${status}, not ${wanted}`;
}

export const untilStatus = (wanted: string): WaitSpec => ({
  until: wanted,
  done: (pod) => isAt(pod, wanted),
  bad: (pod) => isStuck(pod, wanted),
  ...(wanted === REACHABLE ? { describe: describeReach } : {}),
  stillRunning: (pod) => paidWhile([pod], wanted),
  notes: (pod) =>
    isStuck(pod, wanted) || statusOf(pod) === 'EXITED'
      ? stuckNotes(pod, wanted)
      : wanted === REACHABLE
        ? unpublishedNotes(pod)
        : [],
});

export const wait = defineCommand({
  output: either(rowSchema(PODS), OUTCOMES),
  summary: 'wait until pods can be reached, or have a status',
  waits: true,
  exits: [EXIT.jobFailed],
  details: `A pod is reachable once it is RUNNING and its published ports and SSH have their addresses, which takes a while longer. Ends with 0 when all pods have the status, 10 when a pod is in ERROR or terminated and cannot get it, 9 after --wait-timeout, or at once if a pod is stopped and must be started first. A pod that does not exist any more counts as TERMINATED. ${SEVERAL} Selectors read the list once, when the wait begins: berth help selectors.`,
  args: { id: idsArgument(PODS) },
  options: {
    for: option.choice('what to wait for', [REACHABLE, ...STATUSES], { metavar: 'WORD', initial: REACHABLE }),
    waitTimeout: waitTimeoutOption('how long to wait'),
    ...selectorOptions(PODS.table, 'pods'),
  },
  examples: [
    ['berth pods wait train-llm', 'until it can be reached'],
    ['berth pods wait train-llm --for running', 'until its container was started'],
    ['berth pods wait pod-stopped pod-notebook --for EXITED --wait-timeout 1h', 'until both have stopped'],
    ["berth pods wait --match 'train-*'", 'until some of them can be reached'],
  ],
  run: async (ctx, values) => {
    const { for: wanted = REACHABLE, waitTimeout } = values;
    const isSelected = hasSelector(values);
    const ids = isSelected ? (await selectTargets(ctx, PODS, values)).targets.map(({ word }) => word) : values.id;
    const [only, ...others] = ids;
    if (only === undefined) return nothingSelected(ctx, PODS, 'waited for');
    if (!isSelected && others.length === 0) return await waitForPod(ctx, only, wanted, waitTimeout, refuseStopped);
    return outcomeResult(ctx, 'pod', await waitForEach(ctx, ids, wanted, waitTimeout, refuseStopped), wanted);
  },
});

/** A stopped pod reaches them only after a start. */
const AFTER_START = [REACHABLE, 'PROVISIONING', 'STARTING', 'RUNNING'];

/** Wait-ended (9) if the pod is stopped and the wanted status needs a start. */
function refuseStopped(pod: Json, wanted: string): void {
  if (statusOf(pod) !== 'EXITED' || !AFTER_START.includes(wanted)) return;
  const id = stringAt(pod, 'id') ?? '?';
  throw new Failure({
    code: 'wait-ended',
    exit: EXIT.waitEnded,
    message: `pod ${id} is EXITED: it will not become ${wanted} by itself`,
    hint: sentence`Start it and wait: ${berth`pods start ${id} --wait`}`,
    id,
  });
}
