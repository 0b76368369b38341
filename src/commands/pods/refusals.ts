import type { CommandContext } from '../../cli/model/context.ts';
import { rowRequest } from '../../cli/resource/requests.ts';
import { type Sent, shownOf } from '../../cli/resource/several.ts';
import { isLocked, stillPaidLines } from './action-cost.ts';
import { statusOf } from './reachable.ts';
import { PODS } from './resource.ts';
import { EXIT, type ExitCode } from '../../core/exit-codes.ts';
import { type Failure, rethrowUnlessFailure } from '../../core/failure.ts';
import { asId } from '../../core/ids.ts';
import type { Json } from '../../core/json.ts';
import { berth, type Message, names, sentence } from '../../core/message.ts';
import { safeText } from '../../core/safe-text.ts';
import type { Bytes } from '../../core/unit-types.ts';
import { refusalClass, type RefusalClass } from '../../create/refusals.ts';
import { idOf } from '../../output/view.ts';

type Refused = 'create' | 'create by apply' | 'create of a cluster' | 'start' | 'restart';

const isCreate = (refused: Refused): boolean => refused.startsWith('create');

interface Words {
  readonly code: string;
  readonly exit: ExitCode;
  readonly message: string;
  readonly hint: (refused: Refused, id: string | undefined) => Message;
}

const OTHER_WAY: Readonly<Partial<Record<Refused, string>>> = {
  create: '. For a GPU, --until-available 6h waits for room.',
  'create by apply': '. What was made stays: once there is room, the same command makes the rest.',
};

/** For other classes the service's message is enough. */
const WORDS: Readonly<Partial<Record<RefusalClass, Words>>> = {
  'no-capacity': {
    code: 'no-capacity',
    exit: EXIT.refused,
    message: 'there is no room for this pod now',
    hint: (refused, id) =>
      isCreate(refused)
        ? sentence`Nothing is wrong with the request. Try another GPU type, data center or cloud, or try again later: ${berth`catalog gpus --available --product POD`}${OTHER_WAY[refused] ?? ''}`
        : sentence`Its machine has too few free GPUs. ${refused === 'start' && id !== undefined ? sentence`To wait for them: ${berth`pods start ${id} --until-available 6h`}. Or` : 'Try again later, or'} create another pod with the same network volume.`,
  },
  payment: {
    code: 'payment-required',
    exit: EXIT.refused,
    message: 'the balance of the account is too low',
    hint: () => 'Nothing was started. Add credit to the account, then run this again.',
  },
  'not-allowed': {
    code: 'forbidden',
    exit: EXIT.denied,
    message: 'this account or key may not do this',
    hint: (refused) =>
      isCreate(refused)
        ? sentence`The account may not use this pool: try another GPU type, data center or cloud. If all are refused, it is the key: ${berth`auth status --check`}`
        : sentence`Nothing was started. Which key is used: ${berth`auth status --check`}`,
  },
  'too-large': {
    code: 'too-large',
    exit: EXIT.refused,
    message: 'the request is too large',
    hint: () =>
      `Nothing was started. A create and its template may have ${MAX_CREATE_BYTES} bytes together: put large values into the image, on a volume or into a secret.`,
  },
};

/** Includes its template (additions 3). */
export const MAX_CREATE_BYTES: Bytes = 102_400;

export function inOwnWords(failure: Failure, refused: Refused): Failure {
  const words = WORDS[refusalClass(failure)];
  if (words === undefined) return failure;
  const { code, exit, message, hint } = words;
  const said = failure.detail ?? failure.title;
  return failure.with({
    code,
    exit,
    message: said === undefined ? message : `${message}: ${safeText(said)}`,
    hint: hint(refused, failure.id),
  });
}

export type Action = 'start' | 'stop' | 'restart';

export const STARTED = ['PROVISIONING', 'STARTING', 'RUNNING'];

/** The pod has the wanted status, or is on its way to it. */
export const hasReached = (action: Action, until: string, pod: Json): boolean =>
  (action === 'start' ? STARTED : [until]).includes(statusOf(pod));

/** A pod that cannot be stopped is still paid, and a locked one can be unlocked. */
export function refusalHint(action: Action, pod: Json): Message | undefined {
  const id = idOf(pod);
  if (action === 'stop') return stillPaidLines([pod])[0];
  return isLocked(pod)
    ? sentence`It is locked: ${berth`pods update ${id} --locked off`}, then ${berth`pods ${names(action)} ${id}`}`
    : undefined;
}

/** A pod already in the wanted status is unchanged, no failure. Others stay refused (409). */
export async function acceptReached(
  ctx: CommandContext,
  sent: readonly Sent<'pod'>[],
  action: Action,
  until: string,
): Promise<readonly Sent<'pod'>[]> {
  const accepted: Sent<'pod'>[] = [];
  for (const each of sent)
    accepted.push(each.failure?.status === 409 ? await unlessReached(ctx, each, action, until) : each);
  return accepted;
}

/** A stop is refused for other reasons. */
export const inActionWords = (sent: Sent<'pod'>, action: Action): Sent<'pod'> =>
  sent.failure === undefined || action === 'stop' ? sent : { ...sent, failure: inOwnWords(sent.failure, action) };

const withHint = (refused: Sent<'pod'>, hint: Message | undefined): Sent<'pod'> =>
  refused.failure === undefined || hint === undefined
    ? refused
    : { ...refused, failure: refused.failure.with({ hint }) };

async function unlessReached(
  ctx: CommandContext,
  refused: Sent<'pod'>,
  action: Action,
  until: string,
): Promise<Sent<'pod'>> {
  const known = asId<'pod'>(refused.id);
  try {
    const answer = await ctx.api.send(rowRequest(PODS, known));
    const pod = answer.value ?? null;
    // A pod that was RUNNING before its restart has not restarted.
    if (action === 'restart' || !hasReached(action, until, pod)) return withHint(refused, refusalHint(action, pod));
    return { ...shownOf(answer, refused.name), id: refused.id, known, answer, unchanged: true };
  } catch (error) {
    rethrowUnlessFailure(error, ctx);
    return refused;
  }
}
