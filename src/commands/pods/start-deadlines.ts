import type { Values } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import type { Params } from '../../cli/model/params.ts';
import { labelOf, readTargets, type Target } from '../../cli/resource/choose.ts';
import { sendEach } from '../../cli/resource/several.ts';
import { checkDeadlineVariables, deadlineFlag } from './deadlines.ts';
import { statusOf } from './reachable.ts';
import { PODS } from './resource.ts';
import type { ApiRequest } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { asId, type Id } from '../../core/ids.ts';
import { type Json, type JsonObject, objectAt, stringAt } from '../../core/json.ts';
import { berth, sentence } from '../../core/message.ts';
import { DEADLINE_ACTIONS, DEADLINE_VARIABLES, storedDeadline } from '../../guard/deadline.ts';
import { idOf } from '../../output/view.ts';

export interface Change {
  readonly targets: readonly Target[];
  /** For a dry run: nothing was sent. */
  readonly requests: readonly (ApiRequest & { readonly id: Id<'pod'> })[];
}

export const START_DEADLINES = {
  stopAfter: deadlineFlag('stop', 'change its deadline first: a guard stops it so long after this start, or then')
    .param,
  terminateAfter: deadlineFlag('terminate', 'change its deadline first: a guard terminates it then').param,
} as const satisfies Params;

/** Undefined without a flag. Usage (2). */
async function variablesOf(ctx: CommandContext, values: Values): Promise<JsonObject | undefined> {
  const given = DEADLINE_ACTIONS.flatMap((action) => {
    const text = values[`${action}After`];
    const flag = `--${action}-after`;
    return typeof text === 'string' ? [[DEADLINE_VARIABLES[action], storedDeadline(text, flag)] as const] : [];
  });
  if (given.length === 0) return undefined;
  const env = Object.fromEntries(given);
  await checkDeadlineVariables(ctx, { env });
  return env;
}

/** Undefined where it can start, and where it was not read. */
export const refusedChange = (values: Values, row: Json | undefined): Failure | undefined =>
  row === undefined ||
  DEADLINE_ACTIONS.every((action) => values[`${action}After`] === undefined) ||
  AT_REST.includes(statusOf(row))
    ? undefined
    : wouldRestart(row);

/** Statuses in which a change of the environment restarts nothing (additions 5). */
const AT_REST = ['EXITED', 'ERROR'];

/** Sends all variables (contract rules, Pods). Running pods are refused (5): they would restart. */
export async function changeBeforeStart(
  ctx: CommandContext,
  targets: readonly Target[],
  values: Values,
): Promise<Change | undefined> {
  const variables = await variablesOf(ctx, values);
  if (variables === undefined) return undefined;
  // A selector's rows are as old as the question that was asked since.
  const read = (
    await readTargets(
      ctx,
      PODS,
      targets.map(({ word }) => word),
    )
  ).map((target, at) => withFailure(target, refusedChange(values, target.row) ?? targets[at]?.failure));
  const requests = read.flatMap(({ word, row, failure }) =>
    failure === undefined ? [changeRequest(asId(idOf(row) === '' ? word : idOf(row)), row, variables)] : [],
  );
  if (ctx.dryRun) return { targets: read, requests };
  const sent = await sendEach(
    ctx,
    PODS,
    read.map(({ word, row, failure }) => ({
      given: word,
      failure,
      request: (id: Id<'pod'>) => changeRequest(id, row, variables),
    })),
  );
  return { targets: read.map((target, at) => withFailure(target, sent[at]?.failure)), requests };
}

const changeRequest = (id: Id<'pod'>, row: Json | undefined, variables: JsonObject) =>
  ({
    service: 'base',
    method: 'PATCH',
    path: [...PODS.path, id],
    body: { env: { ...objectAt(row, 'env'), ...variables } },
    id,
    expects: 'resource',
    checkCommand: berth`pods get ${id}`,
  }) as const;

const withFailure = (target: Target, failure: Failure | undefined): Target =>
  failure === undefined ? target : { ...target, failure };

const wouldRestart = (pod: Json): Failure =>
  new Failure({
    code: 'refused',
    exit: EXIT.refused,
    message: `pod ${labelOf(pod)} is ${stringAt(pod, 'status') ?? '?'}: a change of its deadline would restart its container`,
    hint: sentence`Nothing was sent. To change it with a restart, which wipes the container disk: ${berth`pods stop ${idOf(pod)}`}, then start it with the deadline. To keep every guard from it: ${berth`pods update ${idOf(pod)} --locked on`}`,
    id: idOf(pod),
  });
