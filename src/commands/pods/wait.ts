import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { memberAt, stringOf, type Json } from '../../core/json.ts';
import { defineCommand } from '../../cli/command.ts';
import type { CommandContext } from '../../cli/context.ts';
import { sendTo } from '../../cli/resource/identify.ts';
import { arg, option } from '../../cli/parse/params.ts';
import type { WaitSpec } from '../../cli/resource/write.ts';
import { waitFor } from '../../cli/run/wait.ts';
import { commandLine, countOf } from '../../cli/words.ts';
import type { Result } from '../../output/view.ts';
import { STATUSES } from './fields.ts';
import { PODS } from './resource.ts';

const statusOf = (pod: Json): string => stringOf(memberAt(pod, 'status')) ?? '?';

/** A pod that is in one of these will not become anything else by itself, but for one that is EXITED and started again. */
const isLost = (pod: Json, wanted: string): boolean =>
  statusOf(pod) !== wanted && ['ERROR', 'TERMINATED'].includes(statusOf(pod));

/** For `--wait` of what starts or stops a pod. */
export const untilStatus = (wanted: string): WaitSpec => ({
  until: wanted,
  done: (pod) => statusOf(pod) === wanted,
  bad: (pod) => isLost(pod, wanted),
});

export const wait = defineCommand({
  summary: 'wait until pods have a status',
  details:
    'Ends 0 when all have it, 10 when one is in ERROR or terminated and will not get there, 9 when the wait ends first, or at once where a pod is stopped and somebody has to start it. A pod that is gone counts as TERMINATED.',
  args: { id: arg.ids('pod ids or names', { metavar: 'POD' }) },
  options: {
    for: option.choice('the status to wait for', STATUSES, { metavar: 'STATUS', initial: 'RUNNING' }),
    waitTimeout: option.durationOr('how long to wait', 's', 600_000, '10m'),
  },
  examples: [
    ['berth pods wait POD', 'until it runs'],
    ['berth pods wait POD1 POD2 --for EXITED --wait-timeout 1h', 'until both have stopped'],
  ],
  run: (ctx, values) => waitForPods(ctx, values.id, values.for ?? 'RUNNING', values.waitTimeout, refuseStopped),
});

/** What only a start leads to. */
const AFTER_START = ['PROVISIONING', 'STARTING', 'RUNNING'];

/** A stopped pod starts when somebody starts it, not by being waited for. Fails with wait-ended (9). */
function refuseStopped(pod: Json, id: string, wanted: string): void {
  if (statusOf(pod) !== 'EXITED' || !AFTER_START.includes(wanted)) return;
  throw new Failure({
    code: 'wait-ended',
    exit: EXIT.waitEnded,
    message: `pod ${id} is EXITED: it will not become ${wanted} by itself`,
    hint: `Start it and wait: ${commandLine('pods', 'start', id)} --wait`,
    id,
  });
}

/** What was last seen of a pod; without a row it is gone. */
interface Seen {
  readonly row: Json | undefined;
  readonly text: string;
}

/**
 * Looks at pods until each has the wanted status or cannot get it any more. One pod gives its row, several all that are
 * still there; 10 where one is lost. `check` may refuse what was seen. Fails with not-found (4) for a pod that never was, wait-ended (9).
 */
export async function waitForPods(
  ctx: CommandContext,
  pods: readonly string[],
  wanted: string,
  timeoutMs: number,
  check?: (pod: Json, id: string, wanted: string) => void,
): Promise<Result> {
  const seen = new Map<string, Seen>();
  const isSettled = (pod: string): boolean => {
    const last = seen.get(pod);
    if (last === undefined) return false;
    return last.row === undefined || statusOf(last.row) === wanted || isLost(last.row, wanted);
  };
  const look = async (pod: string): Promise<void> => {
    try {
      const { id, answer } = await sendTo(ctx, PODS, pod, (each) => ({
        service: 'base',
        method: 'GET',
        path: [...PODS.path, each],
        id: each,
      }));
      seen.set(pod, { row: answer.value ?? null, text: answer.text });
      check?.(answer.value ?? null, id, wanted);
    } catch (error) {
      // One that was there and is gone has been terminated; one that never was is the user's mistake.
      if (!(error instanceof Failure) || error.exit !== EXIT.notFound || !seen.has(pod)) throw error;
      seen.set(pod, { row: undefined, text: '' });
    }
  };
  await waitFor<readonly string[]>(ctx, {
    what: pods.length === 1 ? `pod ${pods[0] ?? ''} to be ${wanted}` : `${countOf(pods.length, 'pod')} to be ${wanted}`,
    poll: async () => {
      for (const pod of pods) if (!isSettled(pod)) await look(pod);
      return pods.filter((pod) => !isSettled(pod));
    },
    done: (left) => left.length === 0,
    describe: (left) => left.map((pod) => statusOf(seen.get(pod)?.row ?? null)).join(', '),
    timeoutMs,
    resumeCommand: commandLine('pods', 'wait', ...pods, '--for', wanted),
    ...(pods.length === 1 ? { id: pods[0] ?? '' } : {}),
  });
  return ended(pods, seen, wanted);
}

function ended(pods: readonly string[], seen: ReadonlyMap<string, Seen>, wanted: string): Result {
  const state = (pod: string): string => {
    const row = seen.get(pod)?.row;
    return row === undefined ? 'TERMINATED' : statusOf(row);
  };
  const lost = pods.filter((pod) => state(pod) !== wanted);
  const gone = pods.filter((pod) => seen.get(pod)?.row === undefined);
  const notes = [
    ...lost.map((pod) => `pod ${pod} is ${state(pod)}: it will not become ${wanted} by itself.`),
    ...gone.filter((pod) => !lost.includes(pod)).map((pod) => `pod ${pod} is gone.`),
  ];
  const outcome = { notes, exit: lost.length === 0 ? EXIT.done : EXIT.jobFailed };
  const rows = pods.flatMap((pod) => seen.get(pod)?.row ?? []);
  const [only] = rows;
  if (pods.length > 1) return { kind: 'many', view: PODS.view, values: rows, ...outcome };
  if (only === undefined) return { kind: 'nothing', ...outcome };
  return { kind: 'one', view: PODS.view, value: only, source: seen.get(pods[0] ?? '')?.text ?? '', ...outcome };
}
