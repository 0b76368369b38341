import { rethrowUnlessFailure } from '../../../core/failure.ts';
import { asId, type Id } from '../../../core/ids.ts';
import { arrayAt, stringAt, type Json } from '../../../core/json.ts';
import { defineCommand, type Command, type CommandWords } from '../../../cli/command.ts';
import type { CommandContext } from '../../../cli/context.ts';
import {
  hasSelector,
  labelOf,
  nothingSelected,
  selectTargets,
  type Chosen,
} from '../../../cli/resource/select/choose.ts';
import { selectorOptions } from '../../../cli/resource/select/selectors.ts';
import { outcomeResult, SEVERAL, type Outcome } from '../../../cli/resource/several/outcomes.ts';
import { sendEach, shownOf, type Sent } from '../../../cli/resource/several/send-each.ts';
import { commandLine, countOf } from '../../../cli/words.ts';
import { remainingLines } from '../../shared/rate/account-line.ts';
import { isLocked, savingOf, stillPaidLines } from './cost.ts';
import { statusOf, waitForEach, waitForPod } from './poll.ts';
import { PODS } from '../resource.ts';
import { answerResult, idOf } from '../../../output/view.ts';
import { rowRequest } from '../../../cli/resource/identity/requests.ts';
import { idsArgument, rowSchema } from '../../../cli/resource/read.ts';
import { waitOptions } from '../../../cli/parse/common-options.ts';
import { either } from '../../../cli/schema/output-schema.ts';
import { OUTCOMES } from '../../../cli/schema/common-schemas.ts';

type Action = 'start' | 'stop' | 'restart';

interface ActionSpec extends CommandWords {
  readonly details: string;
  /** The participle in messages. */
  readonly done: string;
  /** The status that the action leads to. */
  readonly until: string;
  /** What the action does to the cost of an hour. */
  readonly effect?: (pods: readonly Json[]) => string;
}

/** `berth pods start|stop|restart POD...`, by ids, names or selectors (contract rules, Pods: actions). */
function actionCommand(action: Action, { summary, details, done, until, effect, examples }: ActionSpec): Command {
  return defineCommand({
    summary,
    details: `${details} ${action === 'restart' ? '' : `A pod that is ${until} already is no error. `}Selectors leave out pods that cannot ${action} now, say which, and ask first: berth help selectors. ${SEVERAL}`,
    examples,
    output: either(rowSchema(PODS), OUTCOMES),
    args: { id: idsArgument(PODS) },
    options: {
      ...waitOptions(`wait until it is ${until}`),
      ...selectorOptions(PODS.table, 'pods'),
    },
    writes: true,
    costs: action === 'start',
    destroys: false,
    prepare: async (ctx, values): Promise<Chosen> =>
      hasSelector(values)
        ? await selectTargets(ctx, PODS, values, async (pods) => unableReasons(action, pods))
        : { bySelector: false, targets: values.id.map((word) => ({ word })), leftOut: [] },
    confirmWhen: hasSelector,
    confirm: async (_ctx, _values, { targets }) => {
      const rows = targets.map(({ row }) => row ?? null);
      const lines = [`This will ${action} ${countOf(rows.length, 'pod')}. ${effect?.(rows) ?? ''}`.trimEnd()];
      return rows.length === 0 ? undefined : { rows: { view: PODS.view, values: rows }, lines };
    },
    run: async (ctx, { wait, waitTimeout }, { bySelector, targets, leftOut }) => {
      const stillPaid = action === 'stop' ? stillPaidLines(leftOut) : [];
      if (targets.length === 0) {
        const nothing = nothingSelected(ctx, PODS, done);
        return { ...nothing, notes: [...(nothing.notes ?? []), ...stillPaid] };
      }
      const request = (known: Id<'pod'>) =>
        ({
          service: 'base',
          method: 'POST',
          path: [...PODS.path, known, 'action'],
          body: { action },
          id: known,
          expects: 'resource',
          checkCommand: commandLine('pods', 'get', known),
        }) as const;
      const answered = await sendEach(
        ctx,
        PODS,
        targets.map(({ word, row }) => ({ given: word, name: stringAt(row, 'name'), request })),
      );
      const sent: readonly Acted[] = action === 'restart' ? answered : await acceptReached(ctx, answered, until);
      const ended = action === 'stop' ? sent.flatMap(({ id, failure }) => (failure === undefined ? [id] : [])) : [];
      const remaining = await remainingLines(ctx, ended);
      const [first, ...others] = sent;
      if (!bySelector && first !== undefined && others.length === 0) {
        if (first.failure !== undefined) throw first.failure;
        if (wait) return { ...(await waitForPod(ctx, first.known, until, waitTimeout)), notes: remaining };
        const notes = first.isReached ? [`pod ${first.id} is ${until} already: nothing was changed.`] : [];
        return { ...answerResult(PODS.view, first.answer), notes: [...notes, ...remaining] };
      }
      const outcomes = wait ? await afterWait(ctx, sent, until, waitTimeout) : sent;
      return { ...outcomeResult(ctx, 'pod', outcomes, done), notes: [...stillPaid, ...remaining] };
    },
  });
}

/** Why pods cannot do an action now: a lock, or their status. A service that does not list actions is asked. */
function unableReasons(action: Action, pods: readonly Json[]): ReadonlyMap<string, string> {
  return new Map(
    pods.flatMap((pod): [string, string][] => {
      const actions = arrayAt(pod, 'actions');
      if (action !== 'start' && isLocked(pod)) return [[idOf(pod), `pod ${labelOf(pod)} is locked`]];
      if (actions === undefined || actions.includes(action)) return [];
      return [[idOf(pod), `pod ${labelOf(pod)} is ${statusOf(pod)} and cannot ${action}`]];
    }),
  );
}

/** A pod that an action was sent to; `isReached` when it had the wanted status before. */
type Acted = Sent<'pod'> & { readonly isReached?: boolean };

/**
 * Reads the pods whose action the service refused (409): one that has the wanted status already is done, as one that a
 * selector leaves out is no failure. Another refusal stays, also when the pod cannot be read.
 */
async function acceptReached(
  ctx: CommandContext,
  sent: readonly Sent<'pod'>[],
  until: string,
): Promise<readonly Acted[]> {
  const accepted: Acted[] = [];
  for (const each of sent) accepted.push(each.failure?.status === 409 ? await unlessReached(ctx, each, until) : each);
  return accepted;
}

async function unlessReached(ctx: CommandContext, refused: Sent<'pod'>, until: string): Promise<Acted> {
  const known = asId<'pod'>(refused.id);
  try {
    const answer = await ctx.api.send(rowRequest(PODS, known));
    if (statusOf(answer.value ?? null) !== until) return refused;
    return { ...shownOf(answer, refused.name), id: refused.id, known, answer, isReached: true };
  } catch (error) {
    rethrowUnlessFailure(error, ctx);
    return refused;
  }
}

/** Waits for the pods that were accepted. The outcomes have the order of the requests. */
async function afterWait(
  ctx: CommandContext,
  sent: readonly Sent<'pod'>[],
  until: string,
  timeoutMs: number,
): Promise<readonly Outcome[]> {
  const ids = sent.flatMap((each) => (each.failure === undefined ? [each.known] : []));
  const waited = ids.length === 0 ? [] : await waitForEach(ctx, ids, until, timeoutMs);
  return sent.map((each) => waited.find(({ id }) => id === each.id && each.failure === undefined) ?? each);
}

export const start = actionCommand('start', {
  summary: 'start stopped pods',
  details: 'A pod that is EXITED or in ERROR can be started. It gets hardware again and costs money again.',
  done: 'started',
  examples: [
    ['berth pods start nightly-report --wait', 'and wait until it runs'],
    ["berth pods start --match 'nightly-*' --yes", 'all with such a name that can be started, without a question'],
  ],
  until: 'RUNNING',
});

export const stop = actionCommand('stop', {
  summary: 'stop pods: what they mount is kept, their hardware is not',
  details: 'The container disk is wiped; mounts are kept. A locked pod refuses: berth pods update POD --locked off.',
  done: 'stopped',
  effect: savingOf,
  examples: [
    ['berth pods stop pod-notebook', 'its mounts are kept'],
    ["berth pods stop --match 'train-*' --older-than 1d --dry-run", 'the requests that would be sent'],
    ["berth pods stop --match 'notebook-*' --yes --json", 'in a script: an outcome for each'],
  ],
  until: 'EXITED',
});

export const restart = actionCommand('restart', {
  summary: 'restart the container of running pods',
  details: 'The container disk is wiped; mounts are kept. A locked pod refuses: berth pods update POD --locked off.',
  done: 'restarted',
  examples: [
    ['berth pods restart nightly-report --wait', 'and wait until it runs again'],
    ["berth pods restart --match 'web-*' --yes", 'some of them, without a question'],
  ],
  until: 'RUNNING',
});
