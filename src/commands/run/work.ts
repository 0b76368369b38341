/** The ways of a run: begin, go on, end. Whatever ends it, the pod is terminated or named. */
import { EXIT } from '../../core/exit-codes.ts';
import {
  asError,
  Failure,
  isInterrupt,
  rethrowUnlessFailure,
  unknownOutcome,
  unlessFailed,
  usage,
} from '../../core/failure.ts';
import { encodeJson, type Json, type JsonObject, memberAt, numberAt, objectAt, stringAt } from '../../core/json.ts';
import { berth, type Message, sentence } from '../../core/message.ts';
import { say as safe } from '../../core/safe-text.ts';
import { utf8Text } from '../../core/text.ts';
import { type Milliseconds, MINUTE_MS } from '../../core/unit-types.ts';
import { costOver, exactDuration, formatBytes, formatDollars, formatDuration } from '../../core/units.ts';
import { keyOf } from '../../create/key.ts';
import { DEADLINE_VARIABLES } from '../../guard/deadline.ts';
import { isJsonFormat } from '../../output/formats/format-table.ts';
import { idOf, type Result } from '../../output/view.ts';
import { ask, requireYes } from '../../cli/ask.ts';
import { textIn, textsIn, type Values } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { dollarsOf } from '../../cli/model/params.ts';
import { catalogOf, hardwareOf, ofNewPod, perHour, tellPrice } from '../../cli/money.ts';
import { bodyFrom, withReferences } from '../../cli/resource/noun-body.ts';
import { post } from '../../cli/resource/noun-writes.ts';
import { merged } from '../../cli/resource/request-body.ts';
import { labelOf } from '../../cli/resource/targets.ts';
import { countOf } from '../../cli/words.ts';
import { type CopyEnd, copyOne } from '../pods/cp-over-ssh.ts';
import { createDefaults, RULES, withSshPort } from '../pods/create.ts';
import { place } from '../pods/place.ts';
import { reachableOf, reachPod, readPod } from '../pods/reach-pod.ts';
import { PODS, REFERENCES } from '../pods/resource.ts';
import type { ReachablePod } from '../pods/ssh-command.ts';
import { afterwards, createMarked, isMark, terminateSurely, waitForSsh } from './pod.ts';
import { endCommand, enter, folderOf, follow, startCommand } from './session.ts';

/** A guard ends the pod so long after the time limit, where this machine is gone too. */
const GUARD_LATER_MS: Milliseconds = 15 * MINUTE_MS;

interface Run {
  readonly mark: string;
  readonly workdir: string;
  readonly outs: readonly Copy[];
  readonly timeoutMs: Milliseconds;
  /** US dollars; Infinity without --max-cost. */
  readonly maxCost: number;
  /** A create was sent, and was not refused. */
  isSent: boolean;
  /** By its answer. */
  pod?: Json;
  startedAt: Milliseconds;
  reached?: ReachablePod;
  filesIn: number;
  filesOut: number;
}

function runOf(ctx: CommandContext, values: Values, mark: string): Run {
  return {
    mark,
    workdir: textIn(values, 'workdir') ?? `${folderOf(mark)}/work`,
    outs: textsIn(values, 'out').map(copyOf),
    timeoutMs: Number(values['timeout']),
    maxCost: dollarsOf('maxCost', textIn(values, 'maxCost')) ?? Infinity,
    isSent: false,
    startedAt: ctx.clock.monotonic(),
    filesIn: 0,
    filesOut: 0,
  };
}

/** A path where it is, and where it goes. */
interface Copy {
  readonly from: string;
  readonly to: string;
}

/** `PATH[:PATH]`. One alone is both; of one that is not below the folder only the last name. Usage (2). */
function copyOf(text: string): Copy {
  const at = text.lastIndexOf(':');
  const isOne = at < 0 || (at === 1 && /^[A-Za-z]:[\\/]/.test(text));
  const [from, given] = isOne ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
  if (from === '' || given === '') throw usage(`${JSON.stringify(text)} is not PATH or PATH:PATH`);
  const isBelow = !/^([/\\~]|[A-Za-z]:|\.\.([/\\]|$))/.test(from);
  return { from, to: given ?? (isBelow ? from : (from.split(/[/\\]/).filter(Boolean).at(-1) ?? '.')) };
}

export async function begin(ctx: CommandContext, values: Values): Promise<Result> {
  const mark = `run-${Math.floor(ctx.random() * 36 ** 8)
    .toString(36)
    .padStart(8, '0')}`;
  const run = runOf(ctx, values, mark);
  const ins = textsIn(values, 'in').map(copyOf);
  const given = await bodyFrom(ctx, PODS, { ...values, name: values['name'] ?? mark, command: undefined }, RULES);
  const plain = withSshPort({ ...merged(createDefaults(given, ctx.settings), given), startSsh: true });
  const variables = objectAt(plain, 'env') ?? {};
  const deadline = exactDuration(run.timeoutMs + GUARD_LATER_MS);
  const body = { ...plain, env: { ...variables, [DEADLINE_VARIABLES.terminate]: deadline } };
  await tellLimits(ctx, body, run);
  // Nothing is made on this machine for a dry run.
  if (ctx.dryRun) await ctx.api.send(post(PODS, body));
  const key = await (await ctx.spawn.ownKeys()).make(mark);
  const publicKey = utf8Text(await ctx.files.read(`${key}.pub`), 'the key', '').trim();
  const { account, addresses } = ctx.settings.accountWords;
  const companion = await ctx.spawn.companion(['run', 'end', mark, '--when-untold', ...account, ...addresses]);
  const work = async (): Promise<number | undefined> => {
    const answer = await createPod(ctx, run, { ...body, env: { ...body.env, PUBLIC_KEY: publicKey } }, values);
    run.pod = answer.value ?? null;
    run.startedAt = ctx.clock.monotonic();
    return await limited(ctx, run, async (bounded) => {
      const [id, timeoutMs] = [idOf(run.pod), Number(values['waitTimeout'])];
      await waitForSsh(bounded, id, timeoutMs);
      const pod = (run.reached = { ...(await reachPod(bounded, id)), key });
      await enter(bounded, pod, [folderOf(mark), run.workdir], timeoutMs);
      await say(ctx, `created pod ${labelOf(run.pod ?? null)}, running after ${since(ctx, run)}`);
      for (const { from, to } of ins)
        run.filesIn += await copy(bounded, local(from), inPod(run, pod, to), await ignoredIn(ctx, from));
      await startCommand(
        bounded,
        pod,
        [folderOf(mark), run.workdir],
        variables,
        values['command'] as readonly string[],
      );
      return values['detach'] === true ? undefined : await follow(bounded, pod, folderOf(mark));
    });
  };
  return await toItsEnd(ctx, run, values, work, companion);
}

/** Goes on with a run, from its first byte. An interrupt leaves it as it is. */
export async function attach(ctx: CommandContext, word: string, values: Values): Promise<Result> {
  const found = await readPod(ctx, word);
  const { pod } = found;
  const mark = keyOf(pod);
  if (mark === undefined || !isMark(mark)) throw usage(`pod ${labelOf(pod)} was not made by a run`);
  const key = textIn(values, 'key') ?? (await ctx.spawn.ownKeys()).find(mark);
  const reached = { ...reachableOf(found), key };
  const age = Math.max(0, ctx.serviceNow() - Date.parse(stringAt(pod, 'createdAt') ?? '')) || 0;
  const run = { ...runOf(ctx, values, mark), isSent: true, pod, reached, startedAt: ctx.clock.monotonic() - age };
  const work = () => limited(ctx, run, (bounded) => follow(bounded, reached, folderOf(mark)));
  return await toItsEnd(ctx, run, values, work, undefined);
}

/** Terminates the pod of a run, by its mark. The second process of a run does so where the first was killed. */
export async function end(ctx: CommandContext, mark: string, whenUntold: boolean): Promise<Result> {
  if (!isMark(mark))
    throw usage(`${JSON.stringify(mark)} is not the mark of a run`, 'Its form is run-7f3a1c2e: the name of the pod.');
  if (!whenUntold) {
    requireYes(ctx);
    await ask(ctx, { line: `the pod of ${mark} will be terminated; what is on its disk is lost` });
  } else if ((await ctx.files.read('-')).byteLength > 0) return { kind: 'nothing' };
  const ids = await terminateSurely(ctx, { mark }, 10 * MINUTE_MS, whenUntold ? MINUTE_MS : 0);
  (await ctx.spawn.ownKeys()).remove(mark);
  if (ids.length > 0) return { kind: 'nothing', notes: [`terminated pod ${ids.join(', ')}`] };
  throw new Failure({ code: 'not-found', exit: EXIT.notFound, message: `no pod of a run ${JSON.stringify(mark)}` });
}

/** Does the work, then what must follow it however it ended: the copies back, the end of the pod, the receipt. */
async function toItsEnd(
  ctx: CommandContext,
  run: Run,
  values: Values,
  work: () => Promise<number | undefined>,
  companion: { tell(word: string): void } | undefined,
): Promise<Result> {
  let [code, failure] = [undefined as number | undefined, undefined as unknown];
  try {
    code = await work();
  } catch (error) {
    failure = error;
  }
  const isLeft = failure === undefined ? code === undefined : companion === undefined && isInterrupt(failure);
  if (isLeft) {
    companion?.tell('kept');
    const hint = sentence`Go on with it: ${berth`run attach ${idOf(run.pod)}`}`;
    if (failure instanceof Failure) throw failure.with({ hint });
    await say(ctx, hint);
    return ctx.terminal.output ? { kind: 'nothing' } : { kind: 'text', text: `${idOf(run.pod)}\n` };
  }
  const after = afterwards(ctx);
  const lost = await copyBack(after, run, values, failure);
  const isFailed = failure !== undefined || code !== 0;
  const isKept = values['keep'] === true || (isFailed && values['keepOnFailure'] === true);
  let trouble: Failure | undefined;
  if (isKept && run.pod !== undefined) await sayKept(after, run.pod);
  else trouble = await endPod(after, run);
  if (trouble === undefined) companion?.tell('done');
  const isUnread = failure instanceof Failure && failure.code === 'closed-pipe';
  const first = trouble ?? (isUnread ? undefined : failure) ?? (code === 0 ? lost[0] : undefined);
  for (const each of lost) if (each !== first) await after.tell(`not copied: ${each.message}`);
  await receipt(after, run, values, code, !isKept && trouble === undefined);
  if (first !== undefined) throw asError(first);
  return { kind: 'program', code: code ?? EXIT.done };
}

/** `GPU-24G x1, SECURE: $0.69/h, at most $2.00`. */
async function tellLimits(ctx: CommandContext, body: JsonObject, { timeoutMs, maxCost }: Run): Promise<void> {
  await tellPrice(ctx, async () => {
    const cost = ofNewPod(body, await catalogOf(ctx, body));
    const most = cost.hourly === undefined ? maxCost : Math.min(maxCost, costOver(cost.hourly.high, timeoutMs));
    return `${hardwareOf(body)}: ${perHour(cost)}${most === Infinity ? '' : `, at most ${formatDollars(most)}`}`;
  });
}

async function createPod(ctx: CommandContext, run: Run, body: JsonObject, values: Values) {
  const [gpus, maxPrice] = [textsIn(values, 'gpu'), dollarsOf('maxPrice', textIn(values, 'maxPrice'))];
  const waitMs = values['untilAvailable'] as number | undefined;
  const isPlaced = gpus.length > 1 || maxPrice !== undefined || waitMs !== undefined;
  if (isPlaced && body['gpu'] === undefined) throw usage('--max-price and --until-available need --gpu');
  const send = async (one: JsonObject) => {
    run.isSent = true;
    return await createMarked(ctx, run.mark, one).catch((error: unknown) => {
      // An answer that refuses says that there is none.
      if (error instanceof Failure && error.exit !== EXIT.unknown && !isInterrupt(error)) run.isSent = false;
      throw error;
    });
  };
  return await withReferences(ctx, body, REFERENCES, (known) =>
    isPlaced ? place(ctx, known, { gpus, maxPrice, waitMs }, send) : send(known),
  );
}

/** Ends the work at the time limit (9), or when the pod, at the price that was got, has cost the most that it may (15). */
async function limited<T>(ctx: CommandContext, run: Run, work: (bounded: CommandContext) => Promise<T>): Promise<T> {
  const { timeoutMs, maxCost, startedAt } = run;
  const price = numberAt(run.pod, 'cost') ?? 0;
  const costMs = price > 0 ? (maxCost / price) * 60 * MINUTE_MS : Infinity;
  const [isCost, limitMs] = [costMs < timeoutMs, Math.min(costMs, timeoutMs)];
  const over = new AbortController();
  const watch = ctx.clock.deadline(Math.max(0, startedAt + limitMs - ctx.clock.monotonic()));
  watch.signal.addEventListener('abort', () => {
    const [code, exit] = isCost
      ? (['limit-exceeded', EXIT.limitExceeded] as const)
      : (['wait-ended', EXIT.waitEnded] as const);
    const limit = isCost ? `${formatDollars(maxCost)} (--max-cost)` : `${formatDuration(timeoutMs)} (--timeout)`;
    over.abort(new Failure({ code, exit, message: `the command was ended after ${limit}` }));
  });
  try {
    return await work({ ...ctx, signal: AbortSignal.any([ctx.signal, over.signal]) });
  } finally {
    watch.cancel();
  }
}

const local = (path: string): CopyEnd => ({ pod: undefined, path, shown: path });

const inPod = ({ workdir }: Run, pod: ReachablePod, path: string): CopyEnd => ({
  pod,
  path: path.startsWith('/') ? path : `${workdir}/${path}`,
  shown: `${pod.name}:${path}`,
});

type Ignores = (path: string, isFolder: boolean) => boolean;

/** Returns how many files there were. One that cannot be copied fails the copy. */
async function copy(ctx: CommandContext, from: CopyEnd, to: CopyEnd, ignores?: Ignores): Promise<number> {
  const copied = { files: 0, bytes: 0 };
  const fails = (_: string, failure: Failure): void => {
    throw failure;
  };
  const options = { recursive: true, into: '', copied, fails, onBytes: () => undefined } as const;
  await copyOne(ctx, from, to, ignores === undefined ? options : { ...options, ignores });
  const where = to.pod === undefined ? ` to ${to.shown}` : '';
  await say(ctx, `copied ${countOf(copied.files, 'file')} (${formatBytes(copied.bytes)})${where}`);
  return copied.files;
}

/** What the folder's .gitignore leaves out, and .git. */
async function ignoredIn(ctx: CommandContext, folder: string): Promise<Ignores> {
  const { default: ignore } = await import('ignore');
  const text = await unlessFailed(ctx, async () => utf8Text(await ctx.files.read(`${folder}/.gitignore`), folder, ''));
  const rules = ignore().add(['.git', ...(text ?? '').split('\n')]);
  return (path, isFolder) => path !== '' && rules.ignores(isFolder ? `${path}/` : path);
}

/** Copies back, whatever the end was. Returns why some were not. */
async function copyBack(ctx: CommandContext, run: Run, values: Values, ended: unknown): Promise<readonly Failure[]> {
  const { reached: pod, mark } = run;
  if (pod === undefined || (ended instanceof Failure && ended.code === 'run-died')) return [];
  if (ended !== undefined) await unlessFailed(ctx, () => endCommand(ctx, pod, folderOf(mark)));
  if (values['noOut'] === true && isInterrupt(ended)) return [];
  const lost: Failure[] = [];
  for (const { from, to } of run.outs)
    try {
      run.filesOut += await copy(ctx, inPod(run, pod, from), local(to));
    } catch (error) {
      rethrowUnlessFailure(error, ctx);
      lost.push(error);
    }
  return lost;
}

const sayKept = (ctx: CommandContext, pod: Json): Promise<void> =>
  say(ctx, sentence`kept pod ${labelOf(pod)}; end its cost: ${berth`pods terminate ${idOf(pod)}`}`);

/** Terminates the pod and says so. The failure where that could not be had: it may still cost money. */
async function endPod(ctx: CommandContext, run: Run): Promise<Failure | undefined> {
  try {
    const id = stringAt(run.pod, 'id');
    const ids = run.isSent ? await terminateSurely(ctx, { mark: run.mark, id }, 2 * MINUTE_MS) : [];
    if (run.isSent && ids.length === 0)
      return unknownOutcome(
        `the create has no answer, and no pod of ${run.mark} was found`,
        berth`run end ${run.mark}`,
      );
    const cost = costOf(ctx, run);
    for (const each of ids)
      await say(ctx, `terminated ${each}: ${since(ctx, run)}${cost === null ? '' : `, ${formatDollars(cost)}`}`);
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
  const { pod = null } = run;
  const text = encodeJson({
    id: stringAt(pod, 'id') ?? null,
    name: stringAt(pod, 'name') ?? null,
    hardware: pod === null ? null : hardwareOf(pod),
    createdAt: memberAt(pod, 'createdAt') ?? null,
    seconds: Math.round((ctx.clock.monotonic() - run.startedAt) / 1000),
    exitCode: code ?? null,
    cost: costOf(ctx, run),
    filesIn: run.filesIn,
    filesOut: run.filesOut,
    terminated: isTerminated,
  });
  const file = textIn(values, 'receipt');
  if (file !== undefined) await ctx.files.write(file, `${text}\n`);
  else if (isJsonFormat(ctx.output.format)) await ctx.stderr.write(safe`${text}\n`);
}

/** US dollars since the create, to a hundredth of a cent; null without a price. */
function costOf(ctx: CommandContext, { pod, startedAt }: Run): number | null {
  const price = numberAt(pod, 'cost');
  return price === undefined ? null : Math.round(costOver(price, ctx.clock.monotonic() - startedAt) * 10_000) / 10_000;
}

const since = (ctx: CommandContext, run: Run): string =>
  formatDuration(Math.round((ctx.clock.monotonic() - run.startedAt) / 1000) * 1000);

async function say(ctx: CommandContext, line: Message): Promise<void> {
  if (!ctx.settings.get('quiet')) await ctx.tell(line);
}
