import type { ApiAnswer } from '../../../core/api.ts';
import { EXIT } from '../../../core/exit-codes.ts';
import { Failure, rethrowUnlessFailure, isNotFound } from '../../../core/failure.ts';
import { type Json, stringAt } from '../../../core/json.ts';
import { berth, type CommandLine, lines, type Message, sentence } from '../../../core/message.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { askUntilThere } from '../../../core/not-there-yet.ts';
import { absenceOfCreated } from '../../../cli/resource/created.ts';
import { identifyNow, sendTo } from '../../../cli/resource/identity/identify.ts';
import { rowRequest } from '../../../cli/resource/identity/requests.ts';
import type { Outcome } from '../../../cli/resource/several/outcomes.ts';
import { isOutage, waitFor } from '../../../cli/run/wait.ts';
import { countOf } from '../../../cli/words/words.ts';
import { answerResult, idOf, type Result } from '../../../output/view.ts';
import { describeReach, isAt, REACHABLE, statusOf, unpublishedNotes } from '../pod/reachable.ts';
import { PODS } from '../pod/resource.ts';
import { stillPaidLines } from './cost.ts';

/** True for a pod in a final status other than the wanted one. */
export const isStuck = (pod: Json, wanted: string): boolean =>
  !isAt(pod, wanted) && ['ERROR', 'TERMINATED'].includes(statusOf(pod));

const describeFor = (pod: Json, wanted: string): string => (wanted === REACHABLE ? describeReach(pod) : statusOf(pod));

const notesFor = (pod: Json, wanted: string): readonly string[] => (wanted === REACHABLE ? unpublishedNotes(pod) : []);

/** Refuses a row that the wait cannot end well for. */
type Check = (pod: Json, wanted: string) => void;

/** The last answer about a pod; no answer means that the pod does not exist any more. */
type Seen = ApiAnswer | undefined;

const rowOf = (seen: Seen): Json => seen?.value ?? { status: 'TERMINATED' };

const isSettled = (seen: Seen, wanted: string): boolean =>
  seen === undefined || isAt(rowOf(seen), wanted) || isStuck(rowOf(seen), wanted);

type Poll = (wasSeen: boolean) => Promise<Seen | typeof NOT_THERE_YET>;

/** A pod that was just created, and that the service does not have yet. */
const NOT_THERE_YET = 'not there yet';

/**
 * Returns what reads a pod. A pod that existed before is then gone; one that never existed is the user's mistake: not-found
 * (4).
 */
function pollOf(ctx: CommandContext, pod: string, wanted: string): Poll {
  const ask = askUntilThere(() => absenceOfCreated(ctx, PODS.noun, pod));
  const read = () => sendTo(ctx, PODS, pod, (id) => rowRequest(PODS, id), identifyNow);
  return async (wasSeen) => {
    try {
      const found = await (wasSeen || wanted === 'TERMINATED' ? read() : ask(read));
      return found === undefined ? NOT_THERE_YET : found.answer;
    } catch (error) {
      if (isNotFound(error) && wasSeen) return undefined;
      throw error;
    }
  };
}

/** What pods cost that are waited for after a start, with the commands that end it. */
export const paidWhile = (pods: readonly Json[], wanted: string): Message | undefined =>
  wanted === REACHABLE || wanted === 'RUNNING' ? lines(...stillPaidLines(pods)) : undefined;

const waitLine = (pods: readonly string[], wanted: string): CommandLine => berth`pods wait ${pods} --for ${wanted}`;

/**
 * Polls a pod until it has the wanted status or can no longer get it: then the exit code is 10. Fails with not-found (4),
 * wait-ended (9), and as `check` does.
 */
export async function waitForPod(
  ctx: CommandContext,
  pod: string,
  wanted: string,
  timeoutMs: number,
  check?: Check,
): Promise<Result> {
  const poll = pollOf(ctx, pod, wanted);
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

/** Why a wait for a pod ended without what it waited for, and what the pod costs on, with the command that ends it. */
export const stuckNotes = (pod: Json, wanted: string, word: string = idOf(pod)): readonly Message[] => [
  `pod ${word} is ${statusOf(pod)}: it will not become ${wanted} by itself.`,
  ...whyLines(word, pod),
  ...stillPaidLines([pod]),
];

const whyLines = (word: string, pod: Json): readonly Message[] =>
  statusOf(pod) === 'ERROR' ? [sentence`Why: ${berth`pods explain ${word}`}`] : [];

/** Names the command that says why a pod is in ERROR. */
const hintOf = (pod: string, seen: Seen): readonly Message[] => whyLines(pod, rowOf(seen));

/**
 * Polls pods until each has the wanted status or can no longer get it. A failure belongs to its pod, and the others go on;
 * a timeout and an interrupt belong to the pods that were still waited for.
 */
export async function waitForEach(
  ctx: CommandContext,
  pods: readonly string[],
  wanted: string,
  timeoutMs: number,
  check?: Check,
): Promise<readonly Outcome[]> {
  const seen = new Map<string, Seen>();
  const failures = new Map<string, Failure>();
  const polls = new Map(pods.map((pod) => [pod, pollOf(ctx, pod, wanted)]));
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
