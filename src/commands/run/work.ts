/** The ways of a run: begin, go on, end. Whatever ends it, the pod is terminated or named. */
import { EXIT } from '../../core/exit-codes.ts';
import { asError, Failure, isInterrupt, rethrowUnlessFailure, unlessFailed, usage } from '../../core/failure.ts';
import { encodeJson, type Json, type JsonObject, memberAt, numberAt, stringAt } from '../../core/json.ts';
import { berth, type Message, sentence } from '../../core/message.ts';
import { utf8Text } from '../../core/text.ts';
import { type Milliseconds, MINUTE_MS } from '../../core/unit-types.ts';
import { costOver, exactDuration, formatBytes, formatDollars, formatDuration } from '../../core/units.ts';
import { keyOf } from '../../create/key.ts';
import { DEADLINE_VARIABLES } from '../../guard/deadline.ts';
import { isJsonFormat } from '../../output/formats/format-table.ts';
import { idOf, type Result } from '../../output/view.ts';
import { textIn, textsIn, type Values } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { dollarsOf } from '../../cli/model/params.ts';
import { catalogOf, hardwareOf, ofNewPod, perHour, tellPrice } from '../../cli/money.ts';
import { bodyFrom, withReferences } from '../../cli/resource/noun-body.ts';
import { post } from '../../cli/resource/noun-writes.ts';
import { merged } from '../../cli/resource/request-body.ts';
import { labelOf } from '../../cli/resource/targets.ts';
import { countOf } from '../../cli/words.ts';
import { copyOne } from '../pods/cp-over-ssh.ts';
import { createDefaults, RULES, withSshPort } from '../pods/create.ts';
import { place } from '../pods/place.ts';
import { reachableOf, reachPod, readPod } from '../pods/reach-pod.ts';
import { PODS, REFERENCES } from '../pods/resource.ts';
import type { ReachablePod } from '../pods/ssh-command.ts';
import { afterwards, createMarked, terminateSurely, waitForSsh } from './pod.ts';
import { endCommand, enter, folderOf, follow, startCommand } from './session.ts';

/** A guard ends the pod so long after the time limit, where this machine is gone too. */
const GUARD_LATER_MS: Milliseconds = 15 * MINUTE_MS;

interface Run {
  readonly mark: string;
  readonly startedAt: Milliseconds;
  /** Set by the answer of the create. */
  pod?: Json;
  reached?: ReachablePod;
  filesIn: number;
  filesOut: number;
}

interface Settings {
  readonly ins: readonly Copy[];
  readonly outs: readonly Copy[];
  readonly workdir: string | undefined;
  readonly timeoutMs: Milliseconds;
  readonly maxCost: number | undefined;
}

const settingsOf = (values: Values): Settings => ({
  ins: textsIn(values, 'in').map(copyOf),
  outs: textsIn(values, 'out').map(copyOf),
  workdir: textIn(values, 'workdir'),
  timeoutMs: Number(values['timeout']),
  maxCost: dollarsOf('maxCost', textIn(values, 'maxCost')),
});

/** A path where it is, and where it goes; both alike where one is given. */
interface Copy {
  readonly from: string;
  readonly to: string;
}

/** `PATH[:REMOTE]`. A path out of this folder keeps its last name alone. Usage (2). */
function copyOf(text: string): Copy {
  const [, from = '', given] = /^(.*?[^:]|[A-Za-z]:[\\/].*?)(?::([^:]*))?$/s.exec(text) ?? [];
  if (from === '' || given === '') throw usage(`${JSON.stringify(text)} is not PATH or PATH:PATH`);
  const isBelow = !/^([/\\~]|[A-Za-z]:|\.\.([/\\]|$))/.test(from);
  return { from, to: given ?? (isBelow ? from : (from.split(/[/\\]/).filter(Boolean).at(-1) ?? '.')) };
}

export async function begin(ctx: CommandContext, values: Values): Promise<Result> {
  const settings = settingsOf(values);
  const mark = `run-${Math.floor(ctx.random() * 36 ** 8)
    .toString(36)
    .padStart(8, '0')}`;
  const given = await bodyFrom(ctx, PODS, { ...values, name: values['name'] ?? mark, command: undefined }, RULES);
  const body = withSshPort({ ...merged(createDefaults(given, ctx.settings), given), startSsh: true });
  const limitMs = await tellLimits(ctx, body, settings);
  const words = [...(values['command'] as readonly string[])];
  const env = Object.entries((body['env'] ?? {}) as JsonObject).flatMap(([name, value]) =>
    // What stands for a secret is known in the container alone.
    typeof value === 'string' && !value.includes('{{') ? [`${name}=${value}`] : [],
  );
  const deadline = { [DEADLINE_VARIABLES.terminate]: exactDuration(limitMs + GUARD_LATER_MS) };
  const marked = { ...body, env: { ...((body['env'] ?? {}) as JsonObject), ...deadline } };
  // Nothing is made on this machine for a dry run.
  if (ctx.dryRun) await ctx.api.send(post(PODS, marked));
  const key = await (await ctx.spawn.ownKeys()).make(mark);
  const publicKey = utf8Text(await ctx.files.read(`${key}.pub`), 'the key', '').trim();
  const { account, addresses } = ctx.settings.accountWords;
  const companion = await ctx.spawn.companion(['run', 'end', mark, '--when-untold', ...account, ...addresses]);
  const run: Run = { mark, startedAt: ctx.clock.monotonic(), filesIn: 0, filesOut: 0 };
  const work = async (): Promise<number | undefined> => {
    run.pod = (await createPod(ctx, mark, withKeyIn(marked, publicKey), values)).value ?? null;
    const [id, timeoutMs] = [idOf(run.pod), Number(values['waitTimeout'])];
    await waitForSsh(ctx, id, timeoutMs);
    run.reached = { ...(await reachPod(ctx, id)), key };
    const places = [folderOf(mark), settings.workdir ?? `${folderOf(mark)}/work`] as const;
    await enter(ctx, run.reached, places, timeoutMs);
    await say(ctx, `created pod ${labelOf(run.pod)}, running after ${since(ctx, run)}`);
    for (const copy of settings.ins) await copyIn(ctx, run, copy, places[1]);
    await startCommand(ctx, run.reached, places, { env, words });
    if (values['detach'] === true) return undefined;
    return await follow(ctx, run.reached, folderOf(mark));
  };
  return await toItsEnd(ctx, run, settings, values, work, companion);
}

/** Goes on with a run, from its first byte. An interrupt leaves it as it is. */
export async function attach(ctx: CommandContext, word: string, values: Values): Promise<Result> {
  const settings = settingsOf(values);
  const found = await readPod(ctx, word);
  const { pod } = found;
  const mark = keyOf(pod);
  if (mark === undefined) throw usage(`pod ${labelOf(pod)} was not made by a run`);
  const key = textIn(values, 'key') ?? (await ctx.spawn.ownKeys()).find(mark);
  const reached = { ...reachableOf(found), key };
  const run: Run = { mark, startedAt: ctx.clock.monotonic(), pod, reached, filesIn: 0, filesOut: 0 };
  return await toItsEnd(ctx, run, settings, values, () => follow(ctx, reached, folderOf(mark)), undefined);
}

/** Terminates the pod of a run, by its mark. The second process of a run does so where the first was killed. */
export async function end(ctx: CommandContext, mark: string, whenUntold: boolean): Promise<Result> {
  if (whenUntold && (await ctx.files.read('-')).byteLength > 0) return { kind: 'nothing' };
  const ids = await terminateSurely(ctx, { mark, id: undefined }, 10 * MINUTE_MS);
  (await ctx.spawn.ownKeys()).remove(mark);
  return {
    kind: 'nothing',
    notes: ids.length === 0 ? [`no pod has the mark ${mark}`] : [`terminated ${ids.join(', ')}`],
  };
}

/** Does the work, then what must follow it however it ended: the copies back, the end of the pod, the receipt. */
async function toItsEnd(
  ctx: CommandContext,
  run: Run,
  settings: Settings,
  values: Values,
  work: () => Promise<number | undefined>,
  companion: { tell(word: string): void } | undefined,
): Promise<Result> {
  let [code, failure] = [undefined as number | undefined, undefined as unknown];
  try {
    code = await limited(ctx, run, settings, work);
  } catch (error) {
    failure = error;
  }
  const isLeft = failure === undefined && code === undefined;
  const isAttached = companion === undefined;
  if (isLeft || (isAttached && isInterrupt(failure))) {
    companion?.tell('kept');
    const hint = sentence`Go on with it: ${berth`run attach ${idOf(run.pod)}`}`;
    if (failure instanceof Failure) throw failure.with({ hint });
    await say(ctx, hint);
    return { kind: ctx.terminal.output ? 'nothing' : 'text', text: `${idOf(run.pod)}\n` };
  }
  const after = afterwards(ctx);
  const isFailed = failure !== undefined || code !== 0;
  const lost = await copyBack(after, run, settings, failure, values['noOut'] === true);
  const isKept = values['keep'] === true || (isFailed && values['keepOnFailure'] === true);
  let ended: Failure | undefined;
  if (isKept && run.pod !== undefined) {
    await say(
      after,
      sentence`kept pod ${labelOf(run.pod)}, which costs money until ${berth`pods terminate ${idOf(run.pod)}`}`,
    );
  } else ended = await endPod(after, run);
  if (ended === undefined) companion?.tell('done');
  await receipt(after, run, values, code, !isKept && ended === undefined);
  const first = ended ?? (failure instanceof Failure && failure.code === 'closed-pipe' ? undefined : failure) ?? lost;
  if (first !== undefined) throw asError(first);
  return { kind: 'program', code: code ?? EXIT.done };
}

/** Says the price and the limits. Returns the time limit, shorter where the catalog says that --max-cost is reached before. */
async function tellLimits(
  ctx: CommandContext,
  body: JsonObject,
  { timeoutMs, maxCost }: Settings,
): Promise<Milliseconds> {
  const cost = await unlessFailed(ctx, async () => ofNewPod(body, await catalogOf(ctx, body)));
  const high = cost?.hourly?.high;
  const byCost = maxCost === undefined || high === undefined ? Infinity : (maxCost / high) * 60 * MINUTE_MS;
  const atMost = maxCost ?? (high === undefined ? undefined : costOver(high, timeoutMs));
  const limit = atMost === undefined ? '' : `, at most ${formatDollars(atMost)}`;
  await tellPrice(ctx, () => `${hardwareOf(body)}: ${cost === undefined ? 'unknown price' : perHour(cost)}${limit}`);
  return Math.min(timeoutMs, byCost);
}

const withKeyIn = (body: JsonObject, publicKey: string): JsonObject => ({
  ...body,
  env: { ...((body['env'] ?? {}) as JsonObject), PUBLIC_KEY: publicKey },
});

function createPod(ctx: CommandContext, mark: string, body: JsonObject, values: Values) {
  const [gpus, maxPrice] = [textsIn(values, 'gpu'), dollarsOf('maxPrice', textIn(values, 'maxPrice'))];
  const waitMs = values['untilAvailable'] as number | undefined;
  const isPlaced = gpus.length > 1 || maxPrice !== undefined || waitMs !== undefined;
  if (isPlaced && body['gpu'] === undefined) throw usage('--max-price and --until-available need --gpu');
  const send = (one: JsonObject) => createMarked(ctx, mark, one);
  return withReferences(ctx, body, REFERENCES, (known) =>
    isPlaced ? place(ctx, known, { gpus, maxPrice, waitMs }, send) : send(known),
  );
}

/** Ends the work at the time limit (9), or when the price that was got reaches the most that it may cost (15). */
async function limited<T>(
  ctx: CommandContext,
  run: Run,
  { timeoutMs, maxCost }: Settings,
  work: () => Promise<T>,
): Promise<T> {
  const [over, done] = [new AbortController(), new AbortController()];
  const watch = async (): Promise<void> => {
    for (;;) {
      const passedMs = ctx.clock.monotonic() - run.startedAt;
      const price = numberAt(run.pod, 'cost');
      const costMs =
        maxCost === undefined || price === undefined || price <= 0 ? Infinity : (maxCost / price) * 60 * MINUTE_MS;
      const leftMs = Math.min(timeoutMs, costMs) - passedMs;
      if (leftMs <= 0) {
        over.abort(costMs < timeoutMs ? overCost(maxCost ?? 0) : overTime(timeoutMs));
        return;
      }
      const pause = ctx.clock.deadline(Math.min(leftMs, MINUTE_MS));
      await new Promise((resolve) => {
        for (const signal of [pause.signal, done.signal]) signal.addEventListener('abort', resolve);
      });
      pause.cancel();
      if (done.signal.aborted) return;
    }
  };
  const watching = watch().catch(() => undefined);
  try {
    return await Promise.race([
      work(),
      new Promise<never>((_, reject) => {
        over.signal.addEventListener('abort', () => {
          reject(over.signal.reason as Failure);
        });
      }),
    ]);
  } finally {
    done.abort();
    await watching;
  }
}

const overTime = (timeoutMs: Milliseconds): Failure =>
  new Failure({
    code: 'wait-ended',
    exit: EXIT.waitEnded,
    message: `the command was ended after ${formatDuration(timeoutMs)} (--timeout)`,
  });

const overCost = (dollars: number): Failure =>
  new Failure({
    code: 'limit-exceeded',
    exit: EXIT.limitExceeded,
    message: `the command was ended at ${formatDollars(dollars)} (--max-cost)`,
  });

async function copyIn(ctx: CommandContext, run: Run, { from, to }: Copy, workdir: string): Promise<void> {
  const { reached: pod } = run;
  if (pod === undefined) return;
  const copied = { files: 0, bytes: 0 };
  const end = { pod, path: inFolder(workdir, to), shown: `${pod.name}:${to}` };
  await copyOne(ctx, { pod: undefined, path: from, shown: from }, end, {
    recursive: true,
    into: '',
    copied,
    ignores: await ignoredIn(ctx, from),
    fails: fail,
    onBytes: () => undefined,
  });
  run.filesIn += copied.files;
  await say(ctx, `copied ${countOf(copied.files, 'file')} (${formatBytes(copied.bytes)})`);
}

/** Copies back, after an end of the command too. Returns the first failure: the others are said. */
async function copyBack(
  ctx: CommandContext,
  run: Run,
  { outs, workdir }: Settings,
  ended: unknown,
  isSkipped: boolean,
): Promise<Failure | undefined> {
  const { reached: pod, mark } = run;
  if (pod === undefined || isGone(ended)) return undefined;
  if (ended !== undefined) await unlessFailed(ctx, () => endCommand(ctx, pod, folderOf(mark)));
  if (isSkipped && isInterrupt(ended)) return undefined;
  let first: Failure | undefined;
  for (const { from, to } of outs) {
    const copied = { files: 0, bytes: 0 };
    const path = inFolder(workdir ?? `${folderOf(mark)}/work`, from);
    try {
      await copyOne(
        ctx,
        { pod, path, shown: `${pod.name}:${from}` },
        { pod: undefined, path: to, shown: to },
        {
          recursive: true,
          into: '',
          copied,
          fails: fail,
          onBytes: () => undefined,
        },
      );
      run.filesOut += copied.files;
      await say(ctx, `copied ${countOf(copied.files, 'file')} (${formatBytes(copied.bytes)}) to ${to}`);
    } catch (error) {
      rethrowUnlessFailure(error, ctx);
      await ctx.tell(`not copied: ${from}: ${error.message}`);
      first ??= error;
    }
  }
  return first;
}

const isGone = (error: unknown): boolean => error instanceof Failure && error.code === 'run-died';

/** One file that cannot be copied fails the copy. */
const fail = (_: string, failure: Failure): void => {
  throw failure;
};

const inFolder = (folder: string, path: string): string => (path.startsWith('/') ? path : `${folder}/${path}`);

/** What the folder's .gitignore leaves out, and .git. */
async function ignoredIn(ctx: CommandContext, folder: string) {
  const { default: ignore } = await import('ignore');
  const text = await unlessFailed(ctx, async () => utf8Text(await ctx.files.read(`${folder}/.gitignore`), folder, ''));
  const rules = ignore().add(['.git', ...(text ?? '').split('\n')]);
  return (path: string, isFolder: boolean): boolean => path !== '' && rules.ignores(isFolder ? `${path}/` : path);
}

/** Terminates the pod and says so. The failure where that could not be had: it may still cost money. */
async function endPod(ctx: CommandContext, run: Run): Promise<Failure | undefined> {
  const id = run.pod === undefined ? undefined : idOf(run.pod);
  try {
    const ids = await terminateSurely(ctx, { mark: run.mark, id });
    const price = numberAt(run.pod, 'cost');
    const cost =
      price === undefined ? '' : `, ${formatDollars(costOver(price, ctx.clock.monotonic() - run.startedAt))}`;
    for (const each of ids) await say(ctx, `terminated ${each}: ${since(ctx, run)}${cost}`);
    (await ctx.spawn.ownKeys()).remove(run.mark);
    return undefined;
  } catch (error) {
    rethrowUnlessFailure(error, ctx);
    return error;
  }
}

async function receipt(
  ctx: CommandContext,
  run: Run,
  values: Values,
  code: number | undefined,
  isTerminated: boolean,
): Promise<void> {
  const price = numberAt(run.pod, 'cost');
  const ms = ctx.clock.monotonic() - run.startedAt;
  const text = encodeJson({
    id: stringAt(run.pod, 'id') ?? null,
    name: stringAt(run.pod, 'name') ?? null,
    hardware: run.pod === undefined ? null : hardwareOf(run.pod),
    createdAt: memberAt(run.pod, 'createdAt') ?? null,
    seconds: Math.round(ms / 1000),
    exitCode: code ?? null,
    cost: price === undefined ? null : Math.round(costOver(price, ms) * 10_000) / 10_000,
    filesIn: run.filesIn,
    filesOut: run.filesOut,
    terminated: isTerminated,
  });
  const file = textIn(values, 'receipt');
  if (file !== undefined) await unlessFailed(ctx, () => ctx.files.write(file, `${text}\n`));
  else if (isJsonFormat(ctx.output.format)) await ctx.tell(text);
}

const since = (ctx: CommandContext, run: Run): string =>
  formatDuration(Math.round((ctx.clock.monotonic() - run.startedAt) / 1000) * 1000);

async function say(ctx: CommandContext, line: Message): Promise<void> {
  if (!ctx.settings.get('quiet')) await ctx.tell(line);
}
