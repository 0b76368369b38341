/** The ways of a run: begin, go on, end. Whatever ends it, the pod is terminated or named. */
import type { Companion } from '../../core/context.ts';
import { EXIT } from '../../core/exit-codes.ts';
import {
  asError,
  Failure,
  isInterrupt,
  isNotFound,
  rethrowUnlessFailure,
  unknownOutcome,
  unlessFailed,
  usage,
} from '../../core/failure.ts';
import { encodeJson, type Json, type JsonObject, memberAt, numberAt, objectAt, stringAt } from '../../core/json.ts';
import { berth, type Message, sentence } from '../../core/message.ts';
import { utf8Text } from '../../core/text.ts';
import { type Milliseconds, MINUTE_MS } from '../../core/unit-types.ts';
import { costOver, exactDuration, formatBytes, formatDollars, formatDuration } from '../../core/units.ts';
import { keyOf, podsOfKey } from '../../create/key.ts';
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
import { listRows } from '../../cli/resource/pages.ts';
import { labelOf, readRow } from '../../cli/resource/targets.ts';
import { every } from '../../cli/until.ts';
import { patientApi } from '../../cli/run/transports.ts';
import { countOf } from '../../cli/words.ts';
import { type CopyEnd, copyOne } from '../pods/cp.ts';
import { createDefaults, RULES, withSshPort } from '../pods/create.ts';
import { place, placementOf, sendOnce, terminateOwn } from '../pods/place.ts';
import { reachableOf, type ReachablePod, readPod } from '../pods/reach-pod.ts';
import { statusOf } from '../pods/reachable.ts';
import { PODS, REFERENCES } from '../pods/fields.ts';
import { again, endCommand, enter, folderOf, follow, startCommand } from './session.ts';

/** A guard ends the pod so long after the time limit, where this machine is gone too. */
const GUARD_LATER_MS: Milliseconds = 15 * MINUTE_MS;

interface Run {
  readonly mark: string;
  readonly values: Values;
  readonly outs: readonly ReturnType<typeof copyOf>[];
  /** Ends the pod where this process ends without a word. Absent for attach, whose interrupt leaves the run as it is. */
  companion?: Companion;
  /** By the answer of its create. */
  pod?: Json;
  /** A create has no answer: there may be a pod all the same. */
  isLost?: boolean;
  reached?: ReachablePod;
  startedAt: Milliseconds;
  readonly files: { in: number; out: number };
}

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

const copiesOf = (values: Values, flag: 'in' | 'out') => textsIn(values, flag).map(copyOf);

export async function begin(ctx: CommandContext, values: Values): Promise<Result> {
  const mark = `run-${Math.floor(ctx.random() * 36 ** 8)
    .toString(36)
    .padStart(8, '0')}`;
  const [ins, outs] = [copiesOf(values, 'in'), copiesOf(values, 'out')];
  const given = await bodyFrom(ctx, PODS, { ...values, name: values['name'] ?? mark, command: undefined }, RULES);
  const plain = withSshPort({ ...merged(createDefaults(given, ctx.settings), given), startSsh: true });
  const variables = objectAt(plain, 'env') ?? {};
  const deadline = exactDuration(Number(values['timeout']) + GUARD_LATER_MS);
  const body = { ...plain, env: { ...variables, [DEADLINE_VARIABLES.terminate]: deadline } };
  await tellLimits(ctx, body, values);
  // Nothing is made on this machine for a dry run.
  if (ctx.dryRun) await ctx.api.send(post(PODS, body));
  const key = await (await ctx.spawn.ownKeys()).make(mark);
  const publicKey = utf8Text(await ctx.files.read(`${key}.pub`), 'the key', '').trim();
  const { account } = ctx.settings.accountWords;
  const companion = await ctx.spawn.companion(['run', 'end', mark, '--when-untold', ...account]);
  const files = { in: 0, out: 0 };
  const run: Run = { mark, values, outs, companion, startedAt: ctx.clock.monotonic(), files };
  return await toItsEnd(ctx, run, async () => {
    run.pod = await createPod(ctx, run, { ...body, env: { ...body.env, PUBLIC_KEY: publicKey } });
    run.startedAt = ctx.clock.monotonic();
    return await limited(ctx, run, async (bounded) => {
      const folders = [folderOf(mark), workdirOf(run)] as const;
      const pod = await enter(bounded, idOf(run.pod), key, folders, Number(values['waitTimeout']));
      run.reached = pod;
      await say(ctx, `created pod ${labelOf(run.pod ?? null)}, running after ${since(ctx, run)}`);
      for (const { from, to } of ins) files.in += await copy(bounded, local(from), inPod(run, pod, to));
      await startCommand(bounded, pod, folders, variables, values['command'] as readonly string[]);
      return values['detach'] === true ? undefined : await follow(bounded, pod, folderOf(mark));
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
  const outs = copiesOf(values, 'out');
  const startedAt = ctx.clock.monotonic() - age;
  const run: Run = { mark, values, outs, pod, reached, startedAt, files: { in: 0, out: 0 } };
  return await toItsEnd(ctx, run, () => limited(ctx, run, (bounded) => follow(bounded, reached, folderOf(mark))));
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
  const isKept = run.pod !== undefined && (values['keep'] === true || (isFailed && values['keepOnFailure'] === true));
  const trouble = isKept ? undefined : await endPod(after, run);
  if (isKept) {
    const command = berth`pods terminate ${idOf(run.pod)}`;
    await say(after, sentence`kept pod ${labelOf(run.pod ?? null)}; end its cost: ${command}`);
  }
  if (trouble === undefined) companion?.tell('done');
  const first = trouble ?? failure ?? (code === 0 ? lost[0] : undefined);
  for (const each of lost) if (each !== first) await after.tell(`not copied: ${each.message}`);
  await writeReceipt(after, run, code, !isKept && trouble === undefined);
  if (first !== undefined) throw asError(first);
  return { kind: 'program', code: code ?? EXIT.done };
}

/** `GPU-24G x1, SECURE: $0.69/h, at most $2.00`. */
async function tellLimits(ctx: CommandContext, body: JsonObject, values: Values): Promise<void> {
  const maxCost = maxCostOf(values);
  await tellPrice(ctx, async () => {
    const cost = ofNewPod(body, await catalogOf(ctx, body));
    const all = cost.hourly === undefined ? Infinity : costOver(cost.hourly.high, Number(values['timeout']));
    const most = Math.min(maxCost, all);
    return `${hardwareOf(body)}: ${perHour(cost)}${most === Infinity ? '' : `, at most ${formatDollars(most)}`}`;
  });
}

/** US dollars; Infinity without --max-cost. */
const maxCostOf = (values: Values): number => dollarsOf('maxCost', textIn(values, 'maxCost')) ?? Infinity;

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
  const [timeoutMs, maxCost] = [Number(run.values['timeout']), maxCostOf(run.values)];
  const price = numberAt(run.pod, 'cost') ?? 0;
  const costMs = price > 0 ? (maxCost / price) * 60 * MINUTE_MS : Infinity;
  const [code, exit, limitMs, limit] =
    costMs < timeoutMs
      ? (['limit-exceeded', EXIT.limitExceeded, costMs, `${formatDollars(maxCost)} (--max-cost)`] as const)
      : (['wait-ended', EXIT.waitEnded, timeoutMs, `${formatDuration(timeoutMs)} (--timeout)`] as const);
  const over = new AbortController();
  const watch = ctx.clock.deadline(run.startedAt + limitMs - ctx.clock.monotonic());
  watch.signal.addEventListener('abort', () => {
    over.abort(new Failure({ code, exit, message: `ended after ${limit}` }));
  });
  try {
    return await work({ ...ctx, signal: AbortSignal.any([ctx.signal, over.signal]) });
  } finally {
    watch.cancel();
  }
}

const workdirOf = ({ mark, values }: Run): string => textIn(values, 'workdir') ?? `${folderOf(mark)}/work`;

const local = (path: string): CopyEnd => ({ path, shown: path });

const inPod = (run: Run, pod: ReachablePod, path: string): CopyEnd => ({
  pod,
  path: path.startsWith('/') ? path : `${workdirOf(run)}/${path}`,
  shown: `${pod.name}:${path}`,
});

/** More would keep a pod that is gone from being ended. */
const COPY_TRIES = 4;

/** One whose connection breaks is copied again. Returns how many files there were. */
async function copy(ctx: CommandContext, from: CopyEnd, to: CopyEnd): Promise<number> {
  let tries = 1;
  const { files, bytes } = await again(ctx, async () => {
    try {
      return await copyOne(ctx, from, to, { recursive: true, gitignore: to.pod !== undefined });
    } catch (error) {
      rethrowUnlessFailure(error, ctx);
      if ((error.exit !== EXIT.unavailable && error.exit !== EXIT.unknown) || ++tries > COPY_TRIES) throw error;
      return undefined;
    }
  });
  const where = to.pod === undefined ? ` to ${to.shown}` : '';
  await say(ctx, `copied ${countOf(files, 'file')} (${formatBytes(bytes)})${where}`);
  return files;
}

/** Whatever the end was. Returns why some were not copied. */
async function copyBack(ctx: CommandContext, run: Run, ended: unknown): Promise<readonly Failure[]> {
  const { reached: pod, mark, values, outs } = run;
  if (pod === undefined || (ended instanceof Failure && ended.code === 'run-died')) return [];
  if (ended !== undefined) await unlessFailed(ctx, () => endCommand(ctx, pod, folderOf(mark)));
  if (values['noOut'] === true && isInterrupt(ended)) return [];
  const lost: Failure[] = [];
  for (const { from, to } of outs)
    try {
      run.files.out += await copy(ctx, inPod(run, pod, from), local(to));
    } catch (error) {
      rethrowUnlessFailure(error, ctx);
      lost.push(error);
    }
  return lost;
}

/** Terminates the pod and says so. The failure where that could not be had: it may still cost money. */
async function endPod(ctx: CommandContext, run: Run): Promise<Failure | undefined> {
  const { mark, pod, isLost } = run;
  try {
    if (pod === undefined && isLost !== true) {
      (await ctx.spawn.ownKeys()).remove(mark);
      return undefined;
    }
    const ids = await terminateSurely(ctx, mark, 2 * MINUTE_MS, MINUTE_MS, stringAt(pod, 'id'));
    const cost = costOf(ctx, run);
    for (const id of ids)
      await say(ctx, `terminated ${id}: ${since(ctx, run)}${cost === null ? '' : `, ${formatDollars(cost)}`}`);
    if (ids.length > 0) return undefined;
    return unknownOutcome(`the create has no answer, and no pod of ${mark} was found`, berth`run end ${mark}`);
  } catch (error) {
    rethrowUnlessFailure(error, ctx);
    return error;
  }
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
  const passedMs = (): Milliseconds => ctx.clock.monotonic() - startedAt;
  const ids = new Set<string>();
  await again(ctx, async () => {
    try {
      const found = id === undefined ? podsOfKey((await listRows(ctx, PODS)).values, mark).map(idOf) : [id];
      for (const each of found) {
        ids.add(each);
        await terminate(ctx, each);
      }
      return ids.size === 0 && passedMs() < lagMs ? undefined : true;
    } catch (error) {
      rethrowUnlessFailure(error, ctx);
      if (passedMs() < patienceMs && error.exit !== EXIT.denied) return undefined;
      const command = id === undefined ? berth`run end ${mark}` : berth`pods terminate ${id}`;
      throw unknownOutcome(`${mark} may still run: ${error.message}`, command, id);
    }
  });
  (await ctx.spawn.ownKeys()).remove(mark);
  return [...ids];
}

/** Gone after a 204, or where two reads find none: a replica answers 404 for a pod that it does not know yet. */
async function terminate(ctx: CommandContext, id: string): Promise<void> {
  if (await terminateOwn(ctx, id)) return;
  for (const pauseMs of [0, 5000]) {
    await every(ctx, pauseMs);
    const answer = await readRow(ctx, PODS, id).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    const status = answer === undefined ? 'TERMINATED' : statusOf(answer.value ?? null);
    if (status !== 'TERMINATED') throw unknownOutcome(`it is ${status}`, berth`pods get ${id}`, id);
  }
}

async function writeReceipt(ctx: CommandContext, run: Run, code = null as number | null, terminated: boolean) {
  const { pod = null, values, files } = run;
  const text = encodeJson({
    id: memberAt(pod, 'id') ?? null,
    name: memberAt(pod, 'name') ?? null,
    hardware: pod === null ? null : hardwareOf(pod),
    createdAt: memberAt(pod, 'createdAt') ?? null,
    seconds: Math.round((ctx.clock.monotonic() - run.startedAt) / 1000),
    exitCode: code,
    cost: costOf(ctx, run),
    ...{ filesIn: files.in, filesOut: files.out, terminated },
  });
  const file = textIn(values, 'receipt');
  if (file !== undefined) await ctx.files.write(file, `${text}\n`);
  else if (isJsonFormat(ctx.output.format)) await ctx.tell(text);
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
