import type { CommandContext } from '../../cli/model/context.ts';
import { PODS } from '../../cli/resource/collections.ts';
import { readList } from '../../cli/resource/pages.ts';
import { listRequest } from '../../cli/resource/requests.ts';
import type { CreateRequest } from '../../cli/resource/write.ts';
import { EXIT, type ExitCode } from '../../core/exit-codes.ts';
import { Failure, isNotFound, localFile, messageOf, rethrowUnlessFailure } from '../../core/failure.ts';
import { asId } from '../../core/ids.ts';
import { isObject, type Json, type JsonObject, memberAt, numberAt, stringAt } from '../../core/json.ts';
import { berth, lines, type Message, sentence } from '../../core/message.ts';
import type { PlainObject } from '../../core/remembered.ts';
import { formatDollars } from '../../core/units.ts';
import {
  type Attempt,
  decodeAttempts,
  encodeAttempts,
  type Finding,
  findingOf,
  isOpen,
  withAttempt,
} from '../../create/attempts.ts';
import { attemptOf, podsOfKey, withKey } from '../../create/key.ts';
import { isSame } from '../../fleet/differences.ts';
import { idOf } from '../../output/view.ts';

type Kept = Pick<CommandContext, 'creates'>;

const jsonOf = (kept: PlainObject): JsonObject => (isObject(kept) ? kept : {});

export const readAttempts = async ({ creates }: Kept, key: string): Promise<readonly Attempt[]> =>
  decodeAttempts(jsonOf(await creates.read())).get(key) ?? [];

/** Local-file (14): nothing may be sent whose key is not on disk. */
export async function keepAttempt({ creates }: Kept, key: string, attempt: Attempt): Promise<void> {
  try {
    await creates.update((before) => ({
      attempts: encodeAttempts(withAttempt(decodeAttempts(jsonOf(before)), key, attempt)),
    }));
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw localFile(`cannot keep the key of this create: ${messageOf(error)}`, 'Nothing more was sent.', error);
  }
}

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

/** Pauses before each read of the list while an outcome is unknown; over a minute in total. */
export const SETTLING_MS = [0, 2000, 5000, 10_000, 20_000, 30_000] as const;

/** For a new pod until the list has it; five minutes in total. */
const VERIFYING_MS = [...SETTLING_MS, ...Array.from({ length: 8 }, () => 30_000)];

/** Twice for a new pod: another process may have sent the same key. */
const LEAST_LOOKS = 2;

const TEMPORARY: readonly ExitCode[] = [EXIT.rateLimited, EXIT.unavailable, EXIT.unknown];

const MAX_TERMINATIONS = 8;

/** At most one pod remains, however often and wherever it is created. */
export interface KeyedPod {
  /** Also after unknown outcomes. Fails as the read of the complete list. */
  find(): Promise<Json | undefined>;
  /** Key is on disk before sending; an older pod of the key wins. Unavailable (7), outcome-unknown (8). */
  create(request: CreateRequest): Promise<Json>;
  /** Only pods of this machine's attempts. Fails if the pod may still exist. */
  terminate(pod: Json): Promise<void>;
  isOwn(pod: Json): Promise<boolean>;
}

/** Per account. Reports how an existing pod differs from the request. */
export function openKeyedPod(ctx: CommandContext, key: string, asked: Asked): KeyedPod {
  const attempts = () => readAttempts(ctx, key);
  const keep = (attempt: Attempt) => keepAttempt(ctx, key, attempt);

  const look = async (): Promise<Finding & { readonly pods: readonly Json[] }> => {
    const { values: pods } = await readList(ctx.api, listRequest(PODS));
    return { pods, ...findingOf(pods, key, await attempts()) };
  };

  /** Once every attempt was seen, or did not appear within the settling time. */
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
      // A late pod still counts: only a terminated one is stored with `over`.
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
        // Allowed with restricted access: this command created the pod, not the user.
        await ctx.api.send({ ...request, destroys: false });
        break;
      } catch (error) {
        rethrowUnlessFailure(error, ctx);
        // A replica may lag: two 404s count only some time apart.
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

  /** Until the list has the new pod and any older one of the key. */
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

  /** Another process of this machine may have terminated it, for an older pod of the key. */
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
