import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { memberAt, stringOf, type Json } from '../../core/json.ts';
import { defineCommand } from '../../cli/command.ts';
import type { CommandContext } from '../../cli/context.ts';
import { sendTo } from '../../cli/resource/identity/identify.ts';
import { arg, option } from '../../cli/parse/params.ts';
import type { WaitSpec } from '../../cli/resource/write.ts';
import { waitFor } from '../../cli/run/wait.ts';
import { commandLine, countOf } from '../../cli/words.ts';
import type { Result } from '../../output/view.ts';
import { STATUSES } from './fields.ts';
import { PODS } from './resource.ts';

const statusOf = (pod: Json): string => stringOf(memberAt(pod, 'status')) ?? '?';

/** True for a pod in a final status other than the wanted one. */
const isStuck = (pod: Json, wanted: string): boolean =>
  statusOf(pod) !== wanted && ['ERROR', 'TERMINATED'].includes(statusOf(pod));

/** The `--wait` of commands that start or stop a pod. */
export const untilStatus = (wanted: string): WaitSpec => ({
  until: wanted,
  done: (pod) => statusOf(pod) === wanted,
  bad: (pod) => isStuck(pod, wanted),
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

/** Statuses that a stopped pod reaches only after a start. */
const AFTER_START = ['PROVISIONING', 'STARTING', 'RUNNING'];

/** Fails with wait-ended (9) where the pod is stopped and the wanted status needs a start. */
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

/** The last answer about a pod; no row means that the pod does not exist any more. */
interface Snapshot {
  readonly row: Json | undefined;
  readonly text: string;
}

/**
 * Polls pods until each has the wanted status or can no longer get it. The result is the row of one pod, or the rows of
 * several pods that still exist; it has exit code 10 where a pod cannot get the status. `check` may throw for a row.
 * Fails with not-found (4) for a pod that did not exist at the first poll, and with wait-ended (9).
 */
export async function waitForPods(
  ctx: CommandContext,
  pods: readonly string[],
  wanted: string,
  timeoutMs: number,
  check?: (pod: Json, id: string, wanted: string) => void,
): Promise<Result> {
  const seen = new Map<string, Snapshot>();
  const isSettled = (pod: string): boolean => {
    const last = seen.get(pod);
    if (last === undefined) return false;
    return last.row === undefined || statusOf(last.row) === wanted || isStuck(last.row, wanted);
  };
  const pollOne = async (pod: string): Promise<void> => {
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
      // A pod that existed before has been terminated; one that never existed is the user's mistake.
      if (!(error instanceof Failure) || error.exit !== EXIT.notFound || !seen.has(pod)) throw error;
      seen.set(pod, { row: undefined, text: '' });
    }
  };
  await waitFor<readonly string[]>(ctx, {
    what: pods.length === 1 ? `pod ${pods[0] ?? ''} to be ${wanted}` : `${countOf(pods.length, 'pod')} to be ${wanted}`,
    poll: async () => {
      for (const pod of pods) if (!isSettled(pod)) await pollOne(pod);
      return pods.filter((pod) => !isSettled(pod));
    },
    done: (left) => left.length === 0,
    describe: (left) => left.map((pod) => statusOf(seen.get(pod)?.row ?? null)).join(', '),
    timeoutMs,
    resumeCommand: commandLine('pods', 'wait', ...pods, '--for', wanted),
    ...(pods.length === 1 ? { id: pods[0] ?? '' } : {}),
  });
  return waitResult(pods, seen, wanted);
}

function waitResult(pods: readonly string[], seen: ReadonlyMap<string, Snapshot>, wanted: string): Result {
  const state = (pod: string): string => {
    const row = seen.get(pod)?.row;
    return row === undefined ? 'TERMINATED' : statusOf(row);
  };
  const stuck = pods.filter((pod) => state(pod) !== wanted);
  const gone = pods.filter((pod) => seen.get(pod)?.row === undefined);
  const notes = [
    ...stuck.map((pod) => `pod ${pod} is ${state(pod)}: it will not become ${wanted} by itself.`),
    ...gone.filter((pod) => !stuck.includes(pod)).map((pod) => `pod ${pod} is gone.`),
  ];
  const outcome = { notes, exit: stuck.length === 0 ? EXIT.done : EXIT.jobFailed };
  const rows = pods.flatMap((pod) => seen.get(pod)?.row ?? []);
  const [only] = rows;
  if (pods.length > 1) return { kind: 'many', view: PODS.view, values: rows, ...outcome };
  if (only === undefined) return { kind: 'nothing', ...outcome };
  return { kind: 'one', view: PODS.view, value: only, source: seen.get(pods[0] ?? '')?.text ?? '', ...outcome };
}
