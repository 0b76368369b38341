import { type Command, type CommandWords, defineCommand, type Values, waitOptions } from '../../cli/model/command.ts';
import { OUTCOMES } from '../../cli/model/common-schemas.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { either } from '../../cli/model/output-schema.ts';
import type { Params } from '../../cli/model/params.ts';
import { remainingAfterStop } from '../../cli/money/account-line.ts';
import { stoppedLines, wipedLines, wipesDisks } from '../../cli/money/hourly-cost.ts';
import {
  type Chosen,
  hasSelector,
  labelOf,
  nothingSelected,
  readTargets,
  selectTargets,
  type Target,
} from '../../cli/resource/choose.ts';
import { podAction } from '../../cli/resource/pod-action.ts';
import { idsArgument, rowSchema } from '../../cli/resource/read.ts';
import { rowRequest } from '../../cli/resource/requests.ts';
import { selectorOptions } from '../../cli/resource/selectors.ts';
import {
  combinedFailure,
  type Outcome,
  outcomeResult,
  sendEach,
  type Sent,
  SEVERAL,
  shownOf,
} from '../../cli/resource/several.ts';
import { countOf } from '../../cli/words.ts';
import { effectOfStop, isLocked, startedLines, stillPaidLines } from './action-cost.ts';
import { costsUntilDeadlines } from './deadlines.ts';
import { costOnceStarted } from './price.ts';
import { REACHABLE, statusOf } from './reachable.ts';
import { acceptReached, type Action, hasReached, inActionWords, refusalHint, STARTED } from './refusals.ts';
import { PODS } from './resource.ts';
import { type Change, changeBeforeStart, refusedChange as refusedByFlags, START_DEADLINES } from './start-deadlines.ts';
import { askBeforeAction } from './start-first.ts';
import { sendUntilFree, UNTIL_FREE } from './start-when-free.ts';
import { waitForEach, waitForPod } from './wait.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, rethrowUnlessFailure, unknownOutcome, unlessFailed } from '../../core/failure.ts';
import type { Id } from '../../core/ids.ts';
import { arrayAt, type Json, stringAt } from '../../core/json.ts';
import { berth } from '../../core/message.ts';
import { safeText } from '../../core/safe-text.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import { answerResult, idOf } from '../../output/view.ts';

/** Specification 3.1. */
const AFTER: Readonly<Record<Action, readonly string[]>> = {
  start: STARTED,
  restart: STARTED,
  // Another command may have terminated it meanwhile.
  stop: ['EXITED', 'TERMINATED'],
};

/** Polls of a pod whose answer has another status: a service may be late. */
const READS = 5;
const PAUSE_MS: Milliseconds = 1000;

/** Only the status proves it, polled for seconds. Else outcome-unknown (8): the pod may still cost. */
async function confirmAction(ctx: CommandContext, sent: Sent<'pod'>, action: Action): Promise<Sent<'pod'>> {
  let last = sent;
  for (let read = 0; last.failure === undefined && last.unchanged !== true; read += 1) {
    const status = statusOf(last.answer.value ?? null);
    if (AFTER[action].includes(status)) return last;
    if (read === READS) return unknown(sent, action, `it is ${status}`);
    if (read > 0) await ctx.clock.sleep(PAUSE_MS, ctx.signal);
    try {
      const answer = await ctx.api.send(rowRequest(PODS, last.known));
      last = { ...shownOf(answer, sent.name), id: sent.id, known: last.known, answer };
    } catch (error) {
      rethrowUnlessFailure(error, ctx);
      return unknown(sent, action, `its status could not be read: ${error.message}`);
    }
  }
  return last;
}

const unknown = ({ id, name }: Sent<'pod'>, action: Action, found: string): Sent<'pod'> => ({
  id,
  name,
  failure: unknownOutcome(`the service accepted the ${action} of pod ${id}, and ${found}`, berth`pods get ${id}`, id),
});

interface ActionSpec extends CommandWords {
  readonly details: string;
  readonly done: string;
  readonly until: string;
  readonly effect?: (ctx: CommandContext, pods: readonly Json[]) => Promise<string | undefined>;
  readonly options?: Params;
  /** For a dry run, before it asks. */
  readonly refusedChange?: (values: Values, row: Json | undefined) => Failure | undefined;
  /** Before the action; undefined where the flags say nothing. */
  readonly change?: (ctx: CommandContext, targets: readonly Target[], values: Values) => Promise<Change | undefined>;
}

/** Contract rules, Pods: actions. */
function actionCommand(
  action: Action,
  { summary, details, done, until, effect, options, change, refusedChange, examples }: ActionSpec,
): Command {
  const goal = until === 'RUNNING' ? REACHABLE : until;
  return defineCommand({
    summary,
    details: `${details} ${action === 'restart' ? '' : `A pod that is ${until} already is no error. `}Selectors leave out pods that cannot ${action} now, say which, and ask first: berth help selectors. ${SEVERAL}`,
    examples,
    output: either(rowSchema(PODS), OUTCOMES),
    args: {
      id: idsArgument(
        PODS,
        (pod) => unableReasons(action, [pod]).size === 0 && (action === 'restart' || !hasReached(action, until, pod)),
      ),
    },
    options: {
      ...waitOptions(`wait until it is ${goal}`),
      ...options,
      ...selectorOptions(PODS.table, 'pods'),
    },
    writes: true,
    exits: [EXIT.jobFailed],
    costs: action === 'start',
    destroys: false,
    prepare: async (ctx, values): Promise<Chosen> =>
      hasSelector(values)
        ? await selectTargets(ctx, PODS, values, async (pods) => unableReasons(action, pods))
        : {
            bySelector: false,
            targets: await namedTargets(ctx, action, until, values.id, (row) => refusedChange?.(values, row)),
            leftOut: [],
          },
    confirmWhen: hasSelector,
    confirm: async (ctx, _values, { targets }) => {
      const read = rowsThatGo(targets);
      const rows = read.filter((row) => action === 'restart' || !hasReached(action, until, row));
      // Unread or refused pods need no question.
      const isUnread = targets.some(({ row, failure }) => row === undefined && failure === undefined);
      if (rows.length === 0 || isUnread) return undefined;
      const cost = await unlessFailed(ctx, async () => effect?.(ctx, rows));
      const lines = [`This will ${action} ${countOf(rows.length, 'pod')}. ${cost ?? ''}`.trimEnd()];
      return { rows: { view: PODS.view, values: rows }, lines, isPartial: read.length < targets.length };
    },
    run: async (ctx, { wait, waitTimeout, ...values }, { bySelector, targets: chosen, leftOut }) => {
      const stillPaid = action === 'stop' ? stillPaidLines(leftOut) : [];
      if (chosen.length === 0) {
        const nothing = nothingSelected(ctx, PODS, done);
        const others = action === 'stop' && values.all ? await remainingAfterStop(ctx, [], true) : [];
        return { ...nothing, notes: [...(nothing.notes ?? []), ...stillPaid, ...others] };
      }
      const request = (known: Id<'pod'>) => podAction(known, action);
      if (!bySelector)
        await askBeforeAction(
          ctx,
          action,
          chosen.map(({ word }) => word),
        );
      const changed = await change?.(ctx, chosen, values);
      const targets = changed?.targets ?? chosen;
      if (ctx.dryRun && changed !== undefined)
        return await ctx.previewAll(
          changed.requests.flatMap((each) => [each, request(each.id)]),
          combinedFailure(targets.map(({ word, failure }) => ({ id: word, failure }))),
        );
      const send = async (which: readonly Target[]) =>
        (
          await sendEach(
            ctx,
            PODS,
            which.map(({ word, row, failure }) => ({ given: word, name: stringAt(row, 'name'), request, failure })),
          )
        ).map((each) => inActionWords(each, action));
      const waitMs = (values as Values)['untilAvailable'] as number | undefined;
      const answered = await (waitMs === undefined ? send(targets) : sendUntilFree(ctx, targets, send, waitMs));
      const reached = await acceptReached(ctx, answered, action, until);
      // A wait checks the status itself.
      const sent = wait ? reached : await Promise.all(reached.map((each) => confirmAction(ctx, each, action)));
      const ended = action === 'stop' ? sent.flatMap(({ id, failure }) => (failure === undefined ? [id] : [])) : [];
      const acted = rowsOf(sent.filter(({ unchanged }) => unchanged !== true));
      // If a person was asked, it was said before.
      const wasAsked = !ctx.yes && ctx.terminal.canAsk && (bySelector || action === 'restart');
      const remaining = [
        ...(action === 'start' || wasAsked ? [] : wipedLines(ctx, acted)),
        ...(action === 'stop' ? stoppedLines(ctx, rowsOf(sent)) : []),
        ...(action === 'stop' ? await remainingAfterStop(ctx, ended, values.all) : []),
        ...(action === 'start'
          ? [...startedLines(ctx, acted, rowsOf(sent)), ...(await costsUntilDeadlines(ctx, acted))]
          : []),
      ];
      const unchanged = reached.flatMap((each) =>
        each.unchanged === true ? [`pod ${each.id} is ${each.status ?? '?'} already: nothing was changed.`] : [],
      );
      const [first, ...others] = sent;
      if (!bySelector && first !== undefined && others.length === 0) {
        if (first.failure !== undefined) throw first.failure;
        if (wait) {
          const waited = await waitForPod(ctx, first.known, goal, waitTimeout);
          return { ...waited, notes: [...(waited.notes ?? []), ...remaining] };
        }
        if (ctx.settings.get('quiet') && isTableOutput(ctx.output)) return { kind: 'nothing', notes: remaining };
        return { ...answerResult(PODS.view, first.answer), notes: [...unchanged, ...remaining] };
      }
      const outcomes = wait ? await afterWait(ctx, sent, goal, waitTimeout) : sent;
      const result = outcomeResult(ctx, 'pod', outcomes, done);
      const isSilent = ctx.settings.get('quiet') && isTableOutput(ctx.output) && result.failure === undefined;
      return { ...(isSilent ? { kind: 'nothing' } : result), notes: [...unchanged, ...stillPaid, ...remaining] };
    },
  });
}

const rowsThatGo = (targets: readonly Target[]): readonly Json[] =>
  targets.flatMap(({ row, failure }) => (row === undefined || failure !== undefined ? [] : [row]));

/** Read in a dry run only, for the service's failures: not found (4), or refused (5) for lock or status. */
async function namedTargets(
  ctx: CommandContext,
  action: Action,
  until: string,
  words: readonly string[],
  refused: (row: Json | undefined) => Failure | undefined,
): Promise<readonly Target[]> {
  if (!ctx.dryRun) return words.map((word) => ({ word }));
  const targets = await readTargets(ctx, PODS, words);
  const reasons = unableReasons(
    action,
    targets.flatMap(({ row }) => row ?? []),
  );
  return await Promise.all(
    targets.map(async (target): Promise<Target> => {
      const { row } = target;
      const failure = target.failure ?? refused(row);
      if (failure !== undefined) return { ...target, failure };
      const reason = row === undefined ? undefined : reasons.get(idOf(row));
      if (row === undefined || reason === undefined) return target;
      if (action !== 'restart' && hasReached(action, until, row)) {
        await ctx.tell(`pod ${labelOf(row)} is ${statusOf(row)} already: nothing would be changed.`);
        return target;
      }
      const message = safeText(words.length === 1 ? `${reason}: nothing was sent` : reason);
      const facts = { code: 'refused', exit: EXIT.refused, message };
      return { ...target, failure: new Failure({ ...facts, hint: refusalHint(action, row), id: idOf(row) }) };
    }),
  );
}

const rowsOf = (sent: readonly Sent<'pod'>[]): readonly Json[] =>
  sent.flatMap((each) => (each.failure === undefined ? (each.answer.value ?? []) : []));

/** A lock, or the status. A service that does not list actions decides itself. */
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

/** In the order of the requests. */
async function afterWait(
  ctx: CommandContext,
  sent: readonly Sent<'pod'>[],
  until: string,
  timeoutMs: number,
): Promise<readonly Outcome[]> {
  const ids = sent.flatMap((each) => (each.failure === undefined ? [each.known] : []));
  const waited = ids.length === 0 ? [] : await waitForEach(ctx, ids, until, timeoutMs);
  return sent.map((each) => {
    const end = waited.find(({ id }) => id === each.id && each.failure === undefined);
    return end === undefined ? each : { ...end, unchanged: each.unchanged };
  });
}

export const start = actionCommand('start', {
  summary: 'start stopped pods',
  details:
    'A pod that is EXITED or in ERROR can be started. It gets hardware again and costs money again. A deadline that it has counts from each start: --stop-after gives it another one, or none. It starts on the machine that it had: while that has too few free GPUs, --until-available waits.',
  done: 'started',
  examples: [
    [
      'berth pods start old-experiment --stop-after 8h --dry-run',
      'with another deadline: the requests that would be sent',
    ],
    [
      'berth pods start nightly-report --until-available 6h --wait',
      'as soon as its machine has free GPUs, and wait until it can be reached',
    ],
    ["berth pods start --match 'nightly-*' --yes", 'all with such a name that can be started, without a question'],
  ],
  until: 'RUNNING',
  effect: async (ctx, pods) => costOnceStarted(ctx, pods),
  options: { ...START_DEADLINES, ...UNTIL_FREE },
  change: changeBeforeStart,
  refusedChange: refusedByFlags,
});

export const stop = actionCommand('stop', {
  summary: 'stop pods: what they mount is kept, their hardware is not',
  details:
    'The container disk is wiped; mounts are kept. A persistent mount costs money until the pod is terminated. A locked pod refuses: berth pods update POD --locked off.',
  done: 'stopped',
  effect: async (_, pods) => effectOfStop(pods),
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
  effect: async (_, pods) => wipesDisks(pods),
  examples: [
    ['berth pods restart nightly-report --wait', 'and wait until it can be reached again'],
    ["berth pods restart --match 'web-*' --yes", 'some of them, without a question'],
  ],
  until: 'RUNNING',
});
