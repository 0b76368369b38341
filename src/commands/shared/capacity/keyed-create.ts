import { EXIT, type ExitCode } from '../../../core/exit-codes.ts';
import { Failure, isNotFound, rethrowUnlessFailure } from '../../../core/failure.ts';
import { asId } from '../../../core/ids.ts';
import type { Json } from '../../../core/json.ts';
import { berth, lines, sentence, type Message } from '../../../core/message.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { listRequest } from '../../../cli/resource/identity/requests.ts';
import { readList } from '../../../cli/resource/pages/read-list.ts';
import type { CreateRequest } from '../../../cli/resource/write.ts';
import { idOf } from '../../../output/view.ts';
import { findingOf, isOpen, type Attempt, type Finding } from '../../../create/attempts.ts';
import { attemptOf, withKey } from '../../../create/key.ts';
import { PODS } from '../collections.ts';
import { keepAttempt, readAttempts } from './memory.ts';
import { podOfKey, type Asked } from './pod-of-key.ts';

/** The pauses before each look at the list while an outcome is not known: together over a minute. Milliseconds. */
export const SETTLING_MS = [0, 2000, 5000, 10_000, 20_000, 30_000] as const;

/** The same for a new pod, until a list has it: in all five minutes. */
const VERIFYING_MS = [...SETTLING_MS, ...Array.from({ length: 8 }, () => 30_000)];

/** A pod that was just created is looked at twice: another process may have sent the same key. */
const LEAST_LOOKS = 2;

/** Ends after which a termination is sent again. */
const TEMPORARY: readonly ExitCode[] = [EXIT.rateLimited, EXIT.unavailable, EXIT.unknown];

/** How often a termination is sent. */
const MAX_TERMINATIONS = 8;

/** The pod of a key: at most one is left, however often and wherever it is created. */
export interface KeyedPod {
  /**
   * The pod with this key, also after attempts whose outcome is not known; undefined where there is none. Fails as the
   * reading of the whole list does.
   */
  find(): Promise<Json | undefined>;
  /**
   * Creates the pod. The key is on the disk before the request. After a lost answer the pod is looked for: without one it
   * fails with unavailable (7), and where that cannot be known with outcome-unknown (8). A pod of the same key that is
   * older stays in its place. A refusal fails as it is.
   */
  create(request: CreateRequest): Promise<Json>;
  /** Terminates a pod that attempts of this machine made. Fails where it may still be there. */
  terminate(pod: Json): Promise<void>;
  /** Whether attempts of this machine made a pod. */
  isOwn(pod: Json): Promise<boolean>;
}

/** Opens the pod of a key of the account in use. How a pod that is there differs from what is asked for is said. */
export function openKeyedPod(ctx: CommandContext, key: string, asked: Asked): KeyedPod {
  const attempts = () => readAttempts(ctx, key);
  const keep = (attempt: Attempt) => keepAttempt(ctx, key, attempt);

  const look = async (): Promise<Finding & { readonly pods: readonly Json[] }> => {
    const { values: pods } = await readList(ctx.api, listRequest(PODS));
    return { pods, ...findingOf(pods, key, await attempts()) };
  };

  /** The finding once no attempt is open any more: each was seen, or did not appear for the settling time. */
  const settled = async (): Promise<Finding> => {
    let finding = await look();
    for (const pause of SETTLING_MS.slice(1)) {
      if (!finding.isOpen) break;
      await ctx.clock.sleep(pause, ctx.signal);
      finding = await look();
    }
    const seen = [finding.pod, ...finding.surplus].flatMap((pod) => pod ?? []);
    for (const attempt of await attempts()) {
      if (!isOpen(attempt)) continue;
      const { id } = attempt;
      const pod = seen.find((each) => attemptOf(each) === id);
      // A pod that appears later still counts: only what was terminated is named with `over`.
      await keep(pod === undefined ? { id, state: 'over' } : { id, state: 'seen', pod: idOf(pod) });
    }
    return finding;
  };

  const find = async (): Promise<Json | undefined> => {
    const { pod, surplus } = await settled();
    for (const each of surplus) await terminateSurplus(each, pod);
    if (pod !== undefined) await ctx.tell(podOfKey(pod, key, asked));
    return pod;
  };

  const terminateSurplus = async (pod: Json, kept: Json | undefined): Promise<void> => {
    await ctx.tell(`Pod ${idOf(pod)} has the key of ${idOf(kept)}, which is older: pod ${idOf(pod)} is terminated.`);
    await terminate(pod);
  };

  const terminate = async (pod: Json): Promise<void> => {
    const id = asId<'pod'>(idOf(pod));
    const checkCommand = berth`pods list`;
    const request = { service: 'base', method: 'DELETE', path: [...PODS.path, id], id, checkCommand } as const;
    let gone = 0;
    for (let sent = 1; ; sent += 1) {
      try {
        // What this command made is nothing of the user's: a restricted access allows it.
        await ctx.api.send({ ...request, destroys: false });
        break;
      } catch (error) {
        rethrowUnlessFailure(error, ctx);
        // A replica that lags does not have it yet. Two say that it is gone only some time apart.
        const isAbsent: boolean = isNotFound(error);
        if (isAbsent && ++gone >= LEAST_LOOKS) break;
        if ((!isAbsent && !TEMPORARY.includes(error.exit)) || sent === MAX_TERMINATIONS)
          throw error.with({
            message: `pod ${id} is not terminated, and costs money: ${error.message}`,
            hint: ending(id),
            id,
          });
        await ctx.clock.sleep(Math.min(2000 * 2 ** sent, 30_000), ctx.signal);
      }
    }
    const attempt = attemptOf(pod);
    if (attempt !== undefined) await keep({ id: attempt, state: 'over', pod: id });
  };

  /** Looks until the list has the new pod, and an older one of the same key if there is one. */
  const verified = async (made: Json, attempt: string): Promise<Json> => {
    for (const [at, pause] of VERIFYING_MS.entries()) {
      if (pause > 0) await ctx.clock.sleep(pause, ctx.signal);
      try {
        const { pod, pods, surplus } = await look();
        const isSeen = pods.some((each) => idOf(each) === idOf(made));
        if (pod === undefined || !(isSeen || (await isOver(made)))) continue;
        if (isSeen) await keep({ id: attempt, state: 'seen', pod: idOf(made) });
        for (const each of surplus) await terminateSurplus(each, pod);
        if (idOf(pod) !== idOf(made)) return pod;
        if (at + 1 >= LEAST_LOOKS) return pod;
      } catch (error) {
        rethrowUnlessFailure(error, ctx);
        if (!TEMPORARY.includes(error.exit) || error.id !== undefined) throw error;
      }
    }
    await ctx.tell(
      sentence`Pod ${idOf(made)} was created, and it could not be checked that no other has its key: ${berth`pods list`}`,
    );
    return made;
  };

  /** Whether another process of this machine has terminated a pod, because an older one has its key. */
  const isOver = async (made: Json): Promise<boolean> =>
    (await attempts()).some(({ state, pod }) => state === 'over' && pod === idOf(made));

  const afterLost = async (lost: Failure): Promise<Json> => {
    let pod: Json | undefined;
    try {
      pod = await find();
    } catch (error) {
      rethrowUnlessFailure(error, ctx);
      throw lost.with({ hint: lines(lost.hint, again(key)) });
    }
    if (pod !== undefined) return pod;
    throw new Failure({
      ...lost.facts(),
      code: 'unavailable',
      exit: EXIT.unavailable,
      message: 'no answer came to the create, and no pod with its key has appeared since: nothing was created',
      hint: again(key),
    });
  };

  return {
    find,
    create: async (request) => {
      const id = attemptId(ctx);
      await keep({ id, state: 'sent' });
      let made: Json | undefined;
      try {
        made = (await ctx.api.send({ ...request, body: withKey(request.body, key, id) })).value ?? null;
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        if (ctx.signal.aborted) throw error;
        if (error.exit === EXIT.unknown) return await afterLost(error);
        await keep({ id, state: 'over' });
        throw error;
      }
      await keep({ id, state: 'made', pod: idOf(made) });
      return await verified(made, id);
    },
    terminate,
    isOwn: async (pod) => {
      const id = attemptOf(pod);
      return id !== undefined && (await attempts()).some((attempt) => attempt.id === id);
    },
  };
}

/** How a command goes on with its key. */
export const again = (key: string): Message =>
  `Run the same command again with --idempotency-key ${key}: it finds what was created, and creates no second pod.`;

const ending = (id: string): Message => sentence`End it: ${berth`pods terminate ${id}`}`;

/** A new attempt: random, so that no two machines have the same. */
export const attemptId = ({ random }: CommandContext): string =>
  [0, 1]
    .map(() =>
      Math.floor(random() * 2 ** 40)
        .toString(36)
        .padStart(8, '0'),
    )
    .join('');

/** A new key. */
export const newKey = (ctx: CommandContext): string => `auto-${attemptId(ctx)}`;
