import type { CommandContext } from '../../cli/model/context.ts';
import { PODS } from '../../cli/resource/collections.ts';
import { readList } from '../../cli/resource/pages.ts';
import { listRequest } from '../../cli/resource/requests.ts';
import type { CreateRequest } from '../../cli/resource/write.ts';
import { EXIT, type ExitCode } from '../../core/exit-codes.ts';
import { type Failure, isNotFound, rethrowUnlessFailure, unlessFailed } from '../../core/failure.ts';
import { asId } from '../../core/ids.ts';
import { type Json, type JsonObject, memberAt, numberAt, stringAt } from '../../core/json.ts';
import { berth, lines, type Message, sentence } from '../../core/message.ts';
import { formatDollars } from '../../core/units.ts';
import { attemptOf, byAge, podsOfKey, withKey } from '../../create/key.ts';
import { isSame } from '../../fleet/differences.ts';
import { idOf } from '../../output/view.ts';

interface Asked {
  readonly body: JsonObject;
  /** Undefined: the type of the body. */
  readonly gpus?: readonly string[] | undefined;
}

/** Shown by the pod as sent. Values from a template are not compared. */
const SHOWN = ['name', 'image', 'gpu.count', 'cpu.id', 'cpu.vcpuCount', 'disk', 'cloud', 'ports'];

export function podOfKey(pod: Json, key: string, { body, gpus }: Asked): string {
  const cost = numberAt(pod, 'cost');
  const price = cost === undefined ? '' : `, and costs ${formatDollars(cost)} an hour`;
  const there = `Pod ${shownPod(pod)} has the key ${key}${price}: no other is created.`;
  const differing = SHOWN.filter((path) => {
    const [before, after] = [memberAt(pod, path), memberAt(body, path)];
    return before !== undefined && after !== undefined && !isSame(before, after, path === 'ports');
  });
  const [gpu, wanted] = [stringAt(pod, 'gpu.id'), gpus ?? [stringAt(body, 'gpu.id')]];
  const isOtherGpu = gpu !== undefined && wanted.every((each) => each !== undefined && each !== gpu);
  const all = [...(isOtherGpu ? ['gpu.id'] : []), ...differing];
  return all.length === 0 ? there : `${there} It is not what is asked for now: other ${all.join(', ')}.`;
}

/** The oldest. Fails as the read of the complete list. */
export async function readPodOfKey(ctx: CommandContext, key: string): Promise<Json | undefined> {
  const { values } = await readList(ctx.api, listRequest(PODS));
  return podsOfKey(values, key)[0];
}

export function whereItIs(pod: Json): string {
  const [gpu, count = 1] = [stringAt(pod, 'gpu.id'), numberAt(pod, 'gpu.count')];
  const [dataCenter, cost] = [stringAt(pod, 'dataCenterId'), numberAt(pod, 'cost')];
  const hardware = gpu === undefined ? '' : ` has ${count} x ${gpu}`;
  const place = dataCenter === undefined ? '' : ` in ${dataCenter}`;
  return `Pod ${shownPod(pod)}${hardware}${place}${cost === undefined ? '' : `, for ${formatDollars(cost)} an hour`}.`;
}

export const shownPod = (pod: Json): string => {
  const name = stringAt(pod, 'name');
  return name === undefined ? idOf(pod) : `${idOf(pod)} (${name})`;
};

/** Pauses before each read of the list after a lost answer; over a minute in total. */
const LOOKS_MS = [0, 2000, 5000, 10_000, 20_000, 30_000] as const;

/** What a create without an answer made. Fails as the create (8), with `hint`, where nothing appears for a minute. */
export async function findLost(
  ctx: CommandContext,
  lost: Failure,
  hint: Message | undefined,
  look: () => Promise<Json | undefined>,
): Promise<Json> {
  for (const pause of LOOKS_MS) {
    if (pause > 0) await ctx.clock.sleep(pause, ctx.signal);
    const found = await unlessFailed(ctx, look);
    if (found !== undefined) return found;
  }
  throw lost.with({ code: 'outcome-unknown', hint });
}

const TEMPORARY: readonly ExitCode[] = [EXIT.rateLimited, EXIT.unavailable, EXIT.unknown];

const MAX_TERMINATIONS = 8;

/** A replica may lag: two 404s count only some time apart. */
const LEAST_LOOKS = 2;

/** At most one pod of a key remains, however often and wherever it is created. */
export interface KeyedPod {
  /** Fails as the read of the complete list. */
  find(): Promise<Json | undefined>;
  /** An older pod of the key wins: the new one is terminated. Outcome-unknown (8). */
  create(request: CreateRequest): Promise<Json>;
  /** Only pods of this run. Fails if the pod may still exist. */
  terminate(pod: Json): Promise<void>;
  isOwn(pod: Json): boolean;
  /** What this run has sent. */
  known(): { readonly isSent: boolean; readonly id: string | undefined };
}

/** Reports how an existing pod differs from the request. */
export function openKeyedPod(ctx: CommandContext, key: string, asked: Asked): KeyedPod {
  const sent = new Set<string>();
  let known: ReturnType<KeyedPod['known']> = { isSent: false, id: undefined };
  const look = async (): Promise<readonly Json[]> =>
    podsOfKey((await readList(ctx.api, listRequest(PODS))).values, key);

  const find = async (): Promise<Json | undefined> => {
    const [pod] = await look();
    if (pod !== undefined) await ctx.tell(podOfKey(pod, key, asked));
    return pod;
  };

  const terminate = async (pod: Json): Promise<void> => {
    const id = asId<'pod'>(idOf(pod));
    const checkCommand = berth`pods list`;
    const request = { service: 'base', method: 'DELETE', path: [...PODS.path, id], id, checkCommand } as const;
    let gone = 0;
    for (let count = 1; ; count += 1) {
      try {
        // Allowed with restricted access: this command created the pod, not the user.
        await ctx.api.send({ ...request, destroys: false });
        break;
      } catch (error) {
        rethrowUnlessFailure(error, ctx);
        const isAbsent: boolean = isNotFound(error);
        if (isAbsent && ++gone >= LEAST_LOOKS) break;
        if ((!isAbsent && !TEMPORARY.includes(error.exit)) || count === MAX_TERMINATIONS)
          throw error.with({
            message: `pod ${id} is not terminated, and costs money: ${error.message}`,
            hint: ending(id),
            id,
          });
        await ctx.clock.sleep(Math.min(2000 * 2 ** count, 30_000), ctx.signal);
      }
    }
    known = { isSent: false, id: undefined };
  };

  return {
    find,
    create: async (request) => {
      const attempt = attemptId(ctx);
      sent.add(attempt);
      known = { isSent: true, id: undefined };
      let made: Json;
      try {
        made = (await ctx.api.send({ ...request, body: withKey(request.body, key, attempt) })).value ?? null;
      } catch (error) {
        rethrowUnlessFailure(error, ctx);
        if (error.exit !== EXIT.unknown) {
          known = { isSent: false, id: undefined };
          throw error;
        }
        const hint = lines(sentence`Before trying again, find out: ${berth`pods list`}`, again(key));
        made = await findLost(ctx, error, hint, async () => (await look()).find((pod) => attemptOf(pod) === attempt));
      }
      known = { isSent: true, id: idOf(made) };
      const pods = await unlessFailed(ctx, look);
      if (pods === undefined)
        await ctx.tell(
          sentence`Pod ${idOf(made)} was created, and it could not be checked that no other has its key: ${berth`pods list`}`,
        );
      const own = pods?.find((pod) => idOf(pod) === idOf(made)) ?? made;
      const [oldest = own] = byAge([...new Set([own, ...(pods ?? [])])]);
      if (oldest === own) return made;
      await ctx.tell(
        `Pod ${idOf(made)} has the key of ${idOf(oldest)}, which is older: pod ${idOf(made)} is terminated.`,
      );
      await terminate(made);
      return oldest;
    },
    terminate,
    isOwn: (pod) => sent.has(attemptOf(pod) ?? ''),
    known: () => known,
  };
}

export const again = (key: string): Message =>
  `Run the same command again with --idempotency-key ${key}: it finds what was created, and creates no second pod.`;

const ending = (id: string): Message => sentence`End it: ${berth`pods terminate ${id}`}`;

/** Random: unique across machines. */
export const attemptId = ({ random }: CommandContext): string =>
  [0, 1]
    .map(() =>
      Math.floor(random() * 2 ** 40)
        .toString(36)
        .padStart(8, '0'),
    )
    .join('');

export const newKey = (ctx: CommandContext): string => `auto-${attemptId(ctx)}`;
