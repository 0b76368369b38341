import { Failure } from '../../core/failure.ts';
import type { Id } from '../../core/ids.ts';
import { defineCommand, type Command } from '../../cli/command.ts';
import type { CommandContext } from '../../cli/context.ts';
import { combinedFailure, sendEach, type Outcome } from '../../cli/resource/send-each.ts';
import { arg, onlyWith, option } from '../../cli/parse/params.ts';
import { commandLine } from '../../cli/words.ts';
import type { Result } from '../../output/view.ts';
import { PODS } from './resource.ts';
import { waitForPods } from './wait.ts';

interface ActionSpec {
  readonly summary: string;
  readonly details: string;
  readonly examples: readonly (readonly [string, string])[];
  /** The status that the action leads to. */
  readonly until: string;
}

/** `berth pods start|stop|restart POD...` (contract rules, Pods: actions). */
function actionCommand(
  action: 'start' | 'stop' | 'restart',
  { summary, details, examples, until }: ActionSpec,
): Command {
  return defineCommand({
    summary,
    details,
    examples,
    args: { id: arg.ids('pod ids or names', { metavar: 'POD', complete: PODS }) },
    options: {
      wait: option.on(`wait until it is ${until}`),
      waitTimeout: onlyWith(['wait'], option.durationOr('how long --wait waits', 's', 600_000, '10m')),
    },
    writes: true,
    run: async (ctx, { id, wait, waitTimeout }) => {
      const request = (known: Id<'pod'>) =>
        ({
          service: 'base',
          method: 'POST',
          path: [...PODS.path, known, 'action'],
          body: { action },
          id: known,
          checkCommand: commandLine('pods', 'get', known),
        }) as const;
      const sent = await sendEach(
        ctx,
        PODS,
        id.map((given) => ({ given, request })),
      );
      const [first] = sent;
      if (sent.length === 1 && first?.failure !== undefined) throw first.failure;
      if (!wait) return resultOf(sent);
      return await waitForAll(ctx, sent, until, waitTimeout);
    },
  });
}

/** The result of the requests: the pod, or for several those that were accepted, with a failure for the others. */
function resultOf(sent: readonly Outcome<'pod'>[]): Result {
  const [first] = sent;
  if (sent.length === 1)
    return {
      kind: 'one',
      view: PODS.view,
      value: first?.answer?.value ?? null,
      source: first?.answer?.text ?? '',
    };
  const values = sent.flatMap(({ answer }) => answer?.value ?? []);
  return { kind: 'many', view: PODS.view, values, failure: combinedFailure(sent) };
}

/** Waits for the pods that were accepted. A refused pod makes the result a failure; a failed wait lists it too. */
async function waitForAll(
  ctx: CommandContext,
  sent: readonly Outcome<'pod'>[],
  until: string,
  timeoutMs: number,
): Promise<Result> {
  const failure = combinedFailure(sent);
  const ids = sent.flatMap((each) => (each.failure === undefined ? [each.id] : []));
  if (ids.length === 0) return { kind: 'nothing', failure };
  try {
    return { ...(await waitForPods(ctx, ids, until, timeoutMs)), failure };
  } catch (error) {
    if (error instanceof Failure && failure !== undefined) throw error.with({ errors: failure.errors });
    throw error;
  }
}

export const start = actionCommand('start', {
  summary: 'start stopped pods',
  details: 'A pod that is EXITED or in ERROR can be started. It gets hardware again, and costs again.',
  examples: [['berth pods start nightly-report --wait', 'and wait until it runs']],
  until: 'RUNNING',
});

export const stop = actionCommand('stop', {
  summary: 'stop pods: what they mount is kept, their hardware is not',
  details: 'The container disk is wiped; mounts are kept. A locked pod refuses: berth pods update POD --locked off.',
  examples: [['berth pods stop pod-notebook', 'its mounts are kept']],
  until: 'EXITED',
});

export const restart = actionCommand('restart', {
  summary: 'restart the container of running pods',
  details: 'The container disk is wiped; mounts are kept. A locked pod refuses: berth pods update POD --locked off.',
  examples: [['berth pods restart nightly-report --wait', 'and wait until it runs again']],
  until: 'RUNNING',
});
