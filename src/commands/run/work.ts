/** The ways of a run: begin, go on, end. Whatever ends it, the pod is terminated or named. */
import type { Companion } from '../../core/context.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { asError, Failure, isInterrupt, rethrowUnlessFailure, unknownOutcome, usage } from '../../core/failure.ts';
import { encodeJson, type Json, type JsonObject, numberAt, objectAt, objectOf, stringAt } from '../../core/json.ts';
import { berth, type Message, sentence } from '../../core/message.ts';
import { utf8Text } from '../../core/text.ts';
import { type Milliseconds, MINUTE_MS } from '../../core/unit-types.ts';
import { costOver, exactDuration, formatBytes, formatDollars, formatDuration } from '../../core/units.ts';
import { keyOf } from '../../create/key.ts';
import { DEADLINE_VARIABLES } from '../../guard/deadline.ts';
import { isJsonFormat } from '../../output/formats/format-table.ts';
import { idOf, type Result } from '../../output/view.ts';
import { ask, requireYes } from '../../cli/ask.ts';
import { run as runLine } from '../../cli/hint.ts';
import { textIn, textsIn, type Values } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { dollarsOf } from '../../cli/model/params.ts';
import { catalogOf, hardwareOf, ofNewPod, perHour, tellPrice } from '../../cli/money.ts';
import { bodyFrom, merged, withReferences } from '../../cli/resource/request-body.ts';
import { post } from '../../cli/resource/noun-writes.ts';
import { labelOf } from '../../cli/resource/targets.ts';
import { patientApi } from '../../cli/run/transports.ts';
import { countOf } from '../../cli/words.ts';
import { copyOne } from '../pods/cp.ts';
import { createDefaults, RULES, withSshPort } from '../pods/create.ts';
import { place, placementOf, podsWith, sendOnce, terminateOwn } from '../pods/place.ts';
import { reachableOf, type ReachablePod, readPod } from '../pods/reach-pod.ts';
import { PODS, REFERENCES } from '../pods/fields.ts';
import { again, endCommand, enter, follow, startCommand } from './session.ts';

/** A guard ends the pod so long after the time limit, where this machine is gone too. */
const GUARD_LATER_MS: Milliseconds = 15 * MINUTE_MS;

/** Usage (2) for a copy or an amount that cannot be. */
const runOf = (ctx: CommandContext, mark: string, values: Values) => ({
  mark,
  values,
  outs: textsIn(values, 'out').map(copyOf),
  timeoutMs: Number(values['timeout']),
  /** US dollars. */
  maxCost: dollarsOf('maxCost', textIn(values, 'maxCost')) ?? Infinity,
  /** Its own, below the home folder of the pod, and that of the command. */
  folders: [`.berth/${mark}`, textIn(values, 'workdir') ?? `.berth/${mark}/work`] as const,
  files: { in: 0, out: 0 },
  startedAt: ctx.clock.monotonic(),
  /** By the answer of its create. */
  pod: null as Json,
  /** A create has no answer: there may be a pod all the same. */
  isLost: false,
  reached: undefined as ReachablePod | undefined,
  /** Ends the pod where this process ends without a word. Absent for attach, whose interrupt leaves the run as it is. */
  companion: undefined as Companion | undefined,
});
type Run = ReturnType<typeof runOf>;

/** It names files here and in the pod, and comes from a variable of the pod. */
const isMark = (text: string): boolean => /^run-[a-z0-9]{1,20}$/.test(text);

/** `PATH[:PATH]`. One alone is both; of one that is not below the folder only the last name. Usage (2). */
function copyOf(text: string): { readonly from: string; readonly to: string } {
  const at = text.lastIndexOf(':');
  const isOne = at < 0 || (at === 1 && /^[A-Za-z]:[\\/]/.test(text));
  const [from, given] = isOne ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
  if (from === '' || given === '') throw usage(`${JSON.stringify(text)} is not PATH or PATH:PATH`);
  const isBelow = !/^([/\\~]|[A-Za-z]:|\.\.([/\\]|$))/.test(from);
  return { from, to: given ?? (isBelow ? from : (from.split(/[/\\]/).filter(Boolean).at(-1) ?? '.')) };
}

export async function begin(ctx: CommandContext, values: Values): Promise<Result> {
  const number = Math.floor(ctx.random() * 36 ** 8);
  const mark = `run-${number.toString(36).padStart(8, '0')}`;
  const run = runOf(ctx, mark, values);
  const ins = textsIn(values, 'in').map(copyOf);
  const given = await bodyFrom(ctx, PODS, { ...values, name: values['name'] ?? mark, command: undefined }, RULES);
  const plain = withSshPort({ ...merged(createDefaults(given, ctx.settings), given), startSsh: true });
  const variables = objectAt(plain, 'env') ?? {};
  const deadline = exactDuration(run.timeoutMs + GUARD_LATER_MS);
  const body = { ...plain, env: { ...variables, [DEADLINE_VARIABLES.terminate]: deadline } };
  await tellPrice(ctx, async () => {
    const cost = ofNewPod(body, await catalogOf(ctx, body));
    const most = costOver(cost.hourly?.high ?? Infinity, run.timeoutMs);
    const inTime = most < run.maxCost ? ` in ${formatDuration(run.timeoutMs)}` : '';
    const limit = Math.min(run.maxCost, most);
    return `${hardwareOf(body)}: ${perHour(cost)}${limit === Infinity ? '' : `, at most ${formatDollars(limit)}${inTime}`}`;
  });
  // Nothing is made on this machine for a dry run.
  if (ctx.dryRun) await ctx.api.send(post(PODS, body));
  const key = await (await ctx.spawn.ownKeys()).make(mark);
  const publicKey = utf8Text(await ctx.files.read(`${key}.pub`), 'the key', '').trim();
  const { account } = ctx.settings.accountWords;
  run.companion = await ctx.spawn.companion(['run', 'end', mark, '--when-untold', ...account]);
  return await toItsEnd(ctx, run, async () => {
    run.pod = await createPod(ctx, run, { ...body, env: { ...body.env, PUBLIC_KEY: publicKey } });
    run.startedAt = ctx.clock.monotonic();
    return await limited(ctx, run, async (bounded) => {
      const pod = await enter(bounded, idOf(run.pod), key, run.folders, Number(values['waitTimeout']));
      run.reached = pod;
      await say(ctx, `created pod ${labelOf(run.pod)}, running after ${since(ctx, run)}`);
      for (const each of ins) await copy(bounded, run, pod, 'in', each);
      await startCommand(bounded, pod, run.folders, variables, values['command'] as readonly string[]);
      return values['detach'] === true ? undefined : await follow(bounded, pod, run.folders);
    });
  });
}

/** Goes on with a run, from its first byte. */
export async function attach(ctx: CommandContext, word: string, values: Values): Promise<Result> {
  const found = await readPod(ctx, word);
  const { pod } = found;
  const mark = keyOf(pod);
  if (mark === undefined || !isMark(mark)) throw usage(`pod ${labelOf(pod)} was not made by a run`);
  const reached = { ...reachableOf(found), key: textIn(values, 'key') ?? (await ctx.spawn.ownKeys()).find(mark) };
  const age = Math.max(0, ctx.serviceNow() - Date.parse(stringAt(pod, 'createdAt') ?? '')) || 0;
  const run = { ...runOf(ctx, mark, values), pod, reached, startedAt: ctx.clock.monotonic() - age };
  return await toItsEnd(ctx, run, () => limited(ctx, run, (bounded) => follow(bounded, reached, run.folders)));
}

/** Terminates the pod of a run, by its mark. The second process of a run does so where the first was killed. */
export async function end(ctx: CommandContext, mark: string, whenUntold: boolean): Promise<Result> {
  if (!isMark(mark))
    throw usage(`${JSON.stringify(mark)} is not the mark of a run`, 'Its form is run-7f3a1c2e: the name of the pod.');
  if (!whenUntold) {
    requireYes(ctx);
    await ask(ctx, { line: `the pod of ${mark} will be terminated; what is on its disk is lost` });
  } else if ((await ctx.files.read('-')).byteLength > 0) return { kind: 'nothing' };
  const ids = await terminateSurely(ctx, mark, 10 * MINUTE_MS, whenUntold ? MINUTE_MS : 0);
  if (ids.length > 0) return { kind: 'nothing', notes: [`terminated pod ${ids.join(', ')}`] };
  throw new Failure({ code: 'not-found', exit: EXIT.notFound, message: `no pod of a run ${JSON.stringify(mark)}` });
}

/** Does the work, then what must follow it however it ended: the copies back, the end of the pod, the receipt. */
async function toItsEnd(ctx: CommandContext, run: Run, work: () => Promise<number | undefined>): Promise<Result> {
  const { values, companion } = run;
  let [code, failure] = [undefined as number | undefined, undefined as unknown];
  try {
    code = await work();
  } catch (error) {
    // A wait for the pod does not go on: it is terminated.
    ctx.setResumeCommand(undefined);
    failure = error;
  }
  if (failure === undefined ? code === undefined : companion === undefined && isInterrupt(failure)) {
    companion?.tell('kept');
    const hint = sentence`Go on with it: ${berth`run attach ${idOf(run.pod)}`}`;
    if (failure instanceof Failure) throw failure.with({ hint });
    await say(ctx, hint);
    return ctx.terminal.output ? { kind: 'nothing' } : { kind: 'text', text: `${idOf(run.pod)}\n` };
  }
  // Without the interrupt that ended it, for what must still be done.
  const { signal } = new AbortController();
  const api = patientApi(ctx.batchApi({ signal, onWindows: () => undefined }), { ...ctx, signal });
  const after = { ...ctx, signal, api };
  const lost = await copyBack(after, run, failure);
  const isFailed = failure !== undefined || code !== 0;
  const isKept = run.pod !== null && (values['keep'] === true || (isFailed && values['keepOnFailure'] === true));
  const trouble = await failureOf(after, async () => {
    const command = berth`pods terminate ${idOf(run.pod)}`;
    if (isKept) await say(after, sentence`kept pod ${labelOf(run.pod)}; end its cost: ${command}`);
    else if (run.pod === null && !run.isLost) (await ctx.spawn.ownKeys()).remove(run.mark);
    else await endPod(after, run);
  });
  if (trouble === undefined) companion?.tell('done');
  const first = trouble ?? failure ?? (code === 0 ? lost[0] : undefined);
  for (const each of lost) if (each !== first) await after.tell(`not copied: ${each.message}`);
  await writeReceipt(after, run, code, !isKept && trouble === undefined);
  if (first !== undefined) throw asError(first);
  return { kind: 'program', code: code ?? EXIT.done };
}

async function failureOf(ctx: CommandContext, work: () => Promise<void>): Promise<Failure | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    rethrowUnlessFailure(error, ctx);
    return error;
  }
}

async function createPod(ctx: CommandContext, run: Run, body: JsonObject): Promise<Json> {
  const { mark, values } = run;
  const send = (one: JsonObject) =>
    sendOnce(ctx, one, { key: mark, attempt: mark, hint: runLine(berth`run end ${mark}`) }).catch((error: unknown) => {
      run.isLost = !(error instanceof Failure) || error.exit === EXIT.unknown || isInterrupt(error);
      throw error;
    });
  const placement = placementOf(values, body);
  const answer = await withReferences(ctx, body, REFERENCES, (known) => place(ctx, known, placement, send));
  return answer.value ?? null;
}

/** Ends the work at the time limit (9), or when the pod, at the price that was got, has cost the most that it may (15). */
async function limited<T>(ctx: CommandContext, run: Run, work: (bounded: CommandContext) => Promise<T>): Promise<T> {
  const { maxCost, timeoutMs, startedAt } = run;
  const costMs = (maxCost / (numberAt(run.pod, 'cost') ?? 0)) * 60 * MINUTE_MS;
  const [code, exit, limit] =
    costMs < timeoutMs
      ? (['limit-exceeded', EXIT.limitExceeded, `${formatDollars(maxCost)} (--max-cost)`] as const)
      : (['wait-ended', EXIT.waitEnded, `${formatDuration(timeoutMs)} (--timeout)`] as const);
  const over = new AbortController();
  const cancel = ctx.clock.deadline(startedAt + Math.min(costMs, timeoutMs) - ctx.clock.monotonic(), () => {
    over.abort(new Failure({ code, exit, message: `ended after ${limit}` }));
  });
  try {
    return await work({ ...ctx, signal: AbortSignal.any([ctx.signal, over.signal]) });
  } finally {
    cancel();
  }
}

/** More would keep a pod that is gone from being ended. */
const COPY_TRIES = 4;

/** One whose connection breaks is copied again. */
async function copy(
  ctx: CommandContext,
  { files, folders }: Run,
  pod: ReachablePod,
  way: 'in' | 'out',
  { from, to }: ReturnType<typeof copyOf>,
): Promise<void> {
  const inPod = (shown: string) => {
    const path = shown.startsWith('/') ? shown : `${folders[1]}/${shown}`;
    return { pod, path, shown: `${pod.name}:${shown}` };
  };
  const here = (path: string) => ({ path, shown: path });
  const [source, target] = way === 'in' ? [here(from), inPod(to)] : [inPod(from), here(to)];
  let tries = 0;
  const copied = await again(ctx, () =>
    copyOne(ctx, source, target, { recursive: true, gitignore: true }).catch((error: unknown) => {
      rethrowUnlessFailure(error, ctx);
      if ((error.exit !== EXIT.unavailable && error.exit !== EXIT.unknown) || ++tries === COPY_TRIES) throw error;
      return undefined;
    }),
  );
  files[way] += copied.files;
  const where = way === 'in' ? '' : ` to ${to}`;
  await say(ctx, `copied ${countOf(copied.files, 'file')} (${formatBytes(copied.bytes)})${where}`);
}

/** Whatever the end was. Returns why some were not copied. */
async function copyBack(ctx: CommandContext, run: Run, ended: unknown): Promise<readonly Failure[]> {
  const { reached: pod, values, outs, folders } = run;
  if (pod === undefined || (ended instanceof Failure && ended.code === 'run-died')) return [];
  if (ended !== undefined) await failureOf(ctx, () => endCommand(ctx, pod, folders));
  if (values['noOut'] === true && isInterrupt(ended)) return [];
  const lost: (Failure | undefined)[] = [];
  for (const out of outs) lost.push(await failureOf(ctx, () => copy(ctx, run, pod, 'out', out)));
  return lost.filter((failure) => failure !== undefined);
}

/** Terminates the pod, and says so. Fails with 8 where that could not be had: it may still cost money. */
async function endPod(ctx: CommandContext, run: Run): Promise<void> {
  const { mark, pod } = run;
  const ids = await terminateSurely(ctx, mark, 2 * MINUTE_MS, MINUTE_MS, stringAt(pod, 'id'));
  if (ids.length === 0)
    throw unknownOutcome(`the create has no answer, and no pod of ${mark} was found`, berth`run end ${mark}`);
  const cost = costOf(ctx, run);
  const price = cost === null ? '' : `, ${formatDollars(cost)}`;
  await say(ctx, `terminated ${ids.join(', ')}: ${since(ctx, run)}${price}`);
}

/**
 * Terminates what a run made, by its id or else by its mark, which a list may show `lagMs` later, and removes its key. Returns
 * the ids. Fails with outcome-unknown (8) after `patienceMs`.
 */
async function terminateSurely(
  ctx: CommandContext,
  mark: string,
  patienceMs: Milliseconds,
  lagMs: Milliseconds,
  id?: string,
): Promise<readonly string[]> {
  const startedAt = ctx.clock.monotonic();
  const isWithin = (spanMs: Milliseconds): boolean => ctx.clock.monotonic() - startedAt < spanMs;
  const ids = new Set<string>();
  await again(ctx, async () => {
    try {
      for (const each of id === undefined ? (await podsWith(ctx, mark)).map(idOf) : [id]) {
        ids.add(each);
        await terminateOwn(ctx, each);
      }
      return ids.size > 0 || !isWithin(lagMs) || undefined;
    } catch (error) {
      rethrowUnlessFailure(error, ctx);
      if (isWithin(patienceMs) && error.exit !== EXIT.denied) return undefined;
      const command = id === undefined ? berth`run end ${mark}` : berth`pods terminate ${id}`;
      throw unknownOutcome(`${mark} may still run: ${error.message}`, command, id);
    }
  });
  (await ctx.spawn.ownKeys()).remove(mark);
  return [...ids];
}

async function writeReceipt(ctx: CommandContext, run: Run, code = null as number | null, terminated: boolean) {
  const { id = null, name = null, createdAt = null } = objectOf(run.pod) ?? {};
  const text = encodeJson({
    id,
    name,
    hardware: run.pod && hardwareOf(run.pod),
    createdAt,
    seconds: Math.round(spentMs(ctx, run) / 1000),
    exitCode: code,
    cost: costOf(ctx, run),
    filesIn: run.files.in,
    filesOut: run.files.out,
    terminated,
  });
  const file = textIn(run.values, 'receipt');
  if (file !== undefined) await ctx.files.write(file, `${text}\n`);
  else if (isJsonFormat(ctx.output.format)) await ctx.tell(text);
}

const spentMs = (ctx: CommandContext, run: Run): Milliseconds => ctx.clock.monotonic() - run.startedAt;

const since = (ctx: CommandContext, run: Run): string => formatDuration(Math.round(spentMs(ctx, run) / 1000) * 1000);

/** US dollars since the create, to a hundredth of a cent; null without a price. */
function costOf(ctx: CommandContext, run: Run): number | null {
  const price = numberAt(run.pod, 'cost');
  return price === undefined ? null : Math.round(costOver(price, spentMs(ctx, run)) * 10_000) / 10_000;
}

async function say(ctx: CommandContext, line: Message): Promise<void> {
  if (!ctx.settings.get('quiet')) await ctx.tell(line);
}
