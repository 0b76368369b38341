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
import { GRACE_MS, DEADLINE_VARIABLES, nextDeadline } from '../../guard/deadline.ts';
import { isJsonFormat } from '../../output/formats/format-table.ts';
import { idOf, type Result } from '../../output/view.ts';
import { ask } from '../../cli/ask.ts';
import { run as runLine } from '../../cli/hint.ts';
import { textIn, textsIn, type Values } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { catalogOf, hardwareOf, ofNewPod, perHour, tellPrice, times } from '../../cli/money.ts';
import { bodyFrom, merged, withReferences } from '../../cli/resource/request-body.ts';
import { post } from '../../cli/resource/noun-writes.ts';
import { labelOf } from '../../cli/resource/targets.ts';
import { again } from '../../cli/until.ts';
import { sendPatiently } from '../../cli/run/transports.ts';
import { countOf } from '../../cli/words.ts';
import { copyOne, sourceHere } from '../pods/cp.ts';
import { createDefaults, RULES, withSshPort } from '../pods/create.ts';
import { inOwnWords, place, placementOf, podsWith, sendOnce, terminateOwn } from '../pods/place.ts';
import { reachableOf, readPod } from '../pods/reach-pod.ts';
import { PODS, REFERENCES } from '../pods/fields.ts';
import { endCommand, enter, follow, type Session, startCommand } from './session.ts';

/** Usage (2) for a copy that cannot be. */
const runOf = (ctx: CommandContext, mark: string, values: Values) => ({
  mark,
  values,
  ins: textsIn(values, 'in').map(copyOf),
  outs: textsIn(values, 'out').map(copyOf),
  timeoutMs: Number(values['timeout']),
  /** US dollars. */
  maxCost: Number(values['maxCost'] ?? Infinity),
  folders: { own: `.berth/${mark}`, work: textIn(values, 'workdir') ?? `.berth/${mark}/work` },
  files: { in: 0, out: 0 },
  startedAt: ctx.clock.monotonic(),
  /** By the answer of its create. */
  pod: null as Json,
  /** Once the command starts. */
  session: undefined as Session | undefined,
  /** Ends the pod where this process ends without a word. Absent for attach, whose interrupt leaves the run as it is. */
  companion: undefined as Companion | undefined,
});
type Run = ReturnType<typeof runOf>;

/** `PATH[:PATH]`. One alone is both; of one that is not below the folder only the last name. Usage (2). */
function copyOf(text: string) {
  const [, from, to] = /^((?:[A-Za-z]:[\\/])?[^:]+)(?::(.+))?$/s.exec(text) ?? [];
  if (from === undefined) throw usage(`${JSON.stringify(text)} is not PATH or PATH:PATH`);
  const isBelow = !/^([/\\~]|[A-Za-z]:|\.\.([/\\]|$))/.test(from);
  return { from, to: to ?? (isBelow ? from : (from.split(/[/\\]/).findLast(Boolean) ?? '.')) };
}

/** It names files here and in the pod, and comes from a variable of the pod. */
const isMark = (text: string): boolean => /^run-[a-z0-9]{1,20}$/.test(text);

export async function begin(ctx: CommandContext, values: Values): Promise<Result> {
  const mark = `run-${ctx.random().toString(36).slice(2, 10)}`;
  const run = runOf(ctx, mark, values);
  const given = await bodyFrom(ctx, PODS, { ...values, name: values['name'] ?? mark, command: undefined }, RULES);
  const plain = withSshPort({ ...merged(createDefaults(given, ctx.settings), given), startSsh: true });
  const body = merged(plain, { env: { [DEADLINE_VARIABLES.terminate]: exactDuration(run.timeoutMs + GRACE_MS) } });
  await tellPrice(ctx, async () => {
    const cost = ofNewPod(body, await catalogOf(ctx, body));
    const most = costOver(cost.hourly?.high ?? Infinity, run.timeoutMs);
    const inTime = `${formatDollars(most)} in ${formatDuration(run.timeoutMs)}`;
    const limit = most < run.maxCost ? inTime : formatDollars(run.maxCost);
    return `${hardwareOf(body)}: ${perHour(cost)}${Math.min(most, run.maxCost) === Infinity ? '' : `, at most ${limit}`}`;
  });
  for (const { from } of run.ins) await sourceHere(ctx, here(from), true);
  // Nothing is made on this machine for a dry run.
  if (ctx.dryRun) await ctx.api.send(post(PODS, body));
  const keys = await ctx.spawn.ownKeys();
  const key = await keys.make(mark);
  const PUBLIC_KEY = utf8Text(await ctx.files.read(`${key}.pub`), 'the key', '').trim();
  const ender = ['run', 'end', mark, '--when-untold', ...ctx.settings.accountWords.account];
  run.companion = await ctx.spawn.companion(ender);
  run.pod = await createPod(ctx, run, merged(body, { env: { PUBLIC_KEY } })).catch((error: unknown) => {
    // The second process looks for what a create without an answer made.
    if (!(error instanceof Failure) || error.exit === EXIT.unknown || isInterrupt(error)) throw error;
    keys.remove(mark);
    run.companion?.tell('done');
    throw inOwnWords(error);
  });
  run.startedAt = ctx.clock.monotonic();
  return await toItsEnd(ctx, run, async (bounded) => {
    const session = { ...(await enter(bounded, idOf(run.pod), key, Number(values['waitTimeout']))), ...run.folders };
    await say(ctx, `created pod ${labelOf(run.pod)}, running after ${spent(ctx, run).time}`);
    for (const each of run.ins) await copy(bounded, run, session, 'in', each);
    run.session = session;
    return await startCommand(bounded, session, objectAt(plain, 'env') ?? {}, values);
  });
}

/** An interrupt, which would leave unknown what a create made, ends the work after it. */
async function createPod(ctx: CommandContext, { mark, values }: Run, body: JsonObject): Promise<Json> {
  const [patient, placement] = [await uninterrupted(ctx), placementOf(values, body)];
  const words = { key: mark, attempt: mark, hint: runLine(berth`run end ${mark}`) };
  const mayPass = fewTimes(EXIT.rateLimited, EXIT.unavailable);
  const send = (one: JsonObject) => {
    ctx.signal.throwIfAborted();
    return again(ctx, () => sendOnce(patient, one, words), mayPass);
  };
  return (await withReferences(ctx, body, REFERENCES, (known) => place(ctx, known, placement, send))).value ?? null;
}

/** Goes on with a run, from its first byte. */
export async function attach(ctx: CommandContext, word: string, values: Values): Promise<Result> {
  const found = await readPod(ctx, word);
  const { pod } = found;
  const mark = keyOf(pod) ?? '';
  if (!isMark(mark)) throw usage(`pod ${labelOf(pod)} was not made by a run`);
  const run = runOf(ctx, mark, values);
  const key = textIn(values, 'key') ?? (await ctx.spawn.ownKeys()).find(mark);
  const session = { ...reachableOf(found), key, ...run.folders };
  const now = ctx.serviceNow();
  const age = Math.max(0, now - Date.parse(stringAt(pod, 'createdAt') ?? '')) || 0;
  const timeoutMs = Math.min(run.timeoutMs, (nextDeadline(pod)?.at ?? Infinity) - GRACE_MS - now + age);
  const begun = { ...run, pod, session, startedAt: run.startedAt - age, timeoutMs };
  return await toItsEnd(ctx, begun, (bounded) => follow(bounded, session));
}

/** Terminates the pod of a run, by its mark. The second process of a run does so where the first was killed. */
export async function end(ctx: CommandContext, mark: string, whenUntold: boolean): Promise<Result> {
  if (!isMark(mark))
    throw usage(`${JSON.stringify(mark)} is not the mark of a run`, 'Its form is run-7f3a1c2e: the name of the pod.');
  if (!whenUntold) await ask(ctx, { line: `the pod of ${mark} will be terminated; what is on its disk is lost` });
  else if ((await ctx.files.read('-')).byteLength > 0) return { kind: 'nothing' };
  const ids = await terminateSurely(ctx, mark, whenUntold ? MINUTE_MS : 0);
  return { kind: 'nothing', notes: [`terminated pod ${ids.join(', ')}`] };
}

type Work = (bounded: CommandContext) => Promise<number | undefined>;

/** Does the work, then what must follow it however it ended: the copies back, the end of the pod, the receipt. */
async function toItsEnd(ctx: CommandContext, run: Run, work: Work): Promise<Result> {
  const { values, companion, pod } = run;
  let [code, failure, trouble] = [undefined as number | undefined, undefined as unknown, undefined as unknown];
  try {
    code = await limited(ctx, run, work);
  } catch (error) {
    failure = error;
  }
  if (failure === undefined ? code === undefined : companion === undefined && isInterrupt(failure)) {
    companion?.tell('kept');
    const hint = sentence`Go on with it: ${berth`run attach ${idOf(pod)}`}`;
    if (failure instanceof Failure) throw failure.with({ hint });
    await say(ctx, hint);
    return ctx.terminal.output ? { kind: 'nothing' } : { kind: 'text', text: `${idOf(pod)}\n` };
  }
  const after = await uninterrupted(ctx);
  const lost = await copyBack(after, run, failure);
  const isKept = values['keep'] === true || (code !== 0 && values['keepOnFailure'] === true);
  try {
    if (!isKept) await terminateSurely(after, run.mark, 0, [idOf(pod)]);
    companion?.tell('done');
    const { time, cost } = spent(after, run);
    const price = cost === undefined ? '' : `, ${formatDollars(cost)}`;
    const kept = sentence`kept pod ${labelOf(pod)}; end its cost: ${berth`pods terminate ${idOf(pod)}`}`;
    await say(after, isKept ? kept : `terminated ${idOf(pod)}: ${time}${price}`);
  } catch (error) {
    trouble = error;
  }
  const first = trouble ?? failure ?? (code === 0 ? lost[0] : undefined);
  for (const each of lost) if (each !== first) await after.tell(`not copied: ${each.message}`);
  await writeReceipt(after, run, code, !isKept && trouble === undefined);
  if (first !== undefined) throw asError(first);
  return { kind: 'program', code: code ?? EXIT.done };
}

/** For what must be done after an interrupt too. It sends each request once. */
async function uninterrupted(ctx: CommandContext): Promise<CommandContext> {
  const { signal } = new AbortController();
  const api = await ctx.batchApi({ signal });
  return { ...ctx, signal, api: { ...api, send: (request) => sendPatiently(api, request, { ...ctx, signal }) } };
}

/** Ends the work at the time limit (9), or when the pod, at the price that was got, has cost the most that it may (15). */
async function limited(ctx: CommandContext, run: Run, work: Work): Promise<number | undefined> {
  const { maxCost, timeoutMs, startedAt } = run;
  const costMs = (maxCost / (numberAt(run.pod, 'cost') ?? 0)) * 60 * MINUTE_MS;
  const [code, exit, limit] =
    costMs < timeoutMs
      ? (['limit-exceeded', EXIT.limitExceeded, `${formatDollars(maxCost)} (--max-cost)`] as const)
      : (['wait-ended', EXIT.waitEnded, `${formatDuration(timeoutMs)} (--timeout)`] as const);
  const over = new AbortController();
  const cancel = ctx.clock.deadline(startedAt + Math.min(costMs, timeoutMs) - ctx.clock.monotonic(), () => {
    const what = run.session === undefined ? 'command not started' : 'ended';
    over.abort(new Failure({ code, exit, message: `${what} after ${limit}` }));
  });
  try {
    return await work({ ...ctx, signal: AbortSignal.any([ctx.signal, over.signal]) });
  } finally {
    cancel();
  }
}

const fewTimes = (...exits: readonly number[]) => {
  let tries = 4;
  return ({ exit }: Failure): boolean => exits.includes(exit) && (tries -= 1) > 0;
};

const here = (path: string) => ({ path, shown: path });

/** One whose connection breaks is copied again. More often would keep a pod that is gone from being ended. */
async function copy(ctx: CommandContext, run: Run, pod: Session, way: 'in' | 'out', { from, to }: Run['ins'][number]) {
  const inPod = (at: string) => ({ pod, path: at.replace(/^(?!\/)/, `${pod.work}/`), shown: `${pod.name}:${at}` });
  const [source, target] = way === 'in' ? [here(from), inPod(to)] : [inPod(from), here(to)];
  const take = () => copyOne(ctx, source, target, { recursive: true, gitignore: true });
  const { files, bytes } = await again(ctx, take, fewTimes(EXIT.unavailable, EXIT.unknown));
  run.files[way] += files;
  await say(ctx, `copied ${countOf(files, 'file')} (${formatBytes(bytes)}) to ${target.shown}`);
}

/** Whatever the end was. Returns why some were not copied. */
async function copyBack(ctx: CommandContext, run: Run, ended: unknown): Promise<readonly Error[]> {
  const { session, values, outs } = run;
  const lost: Error[] = [];
  if (session === undefined || (ended instanceof Failure && ended.code === 'run-died')) return lost;
  if (ended !== undefined) await endCommand(ctx, session).catch(() => undefined);
  if (values['noOut'] === true && isInterrupt(ended)) return lost;
  for (const out of outs)
    await copy(ctx, run, session, 'out', out).catch((error: unknown) => lost.push(asError(error)));
  return lost;
}

/**
 * Terminates what a run made, by its id or else by its mark, which a list may show `lagMs` later (4), and removes its key. Returns
 * the ids. Fails with outcome-unknown (8) after five minutes: it may still cost money.
 */
async function terminateSurely(ctx: CommandContext, mark: string, lagMs: Milliseconds, known: readonly string[] = []) {
  const startedAt = ctx.clock.monotonic();
  const keys = await ctx.spawn.ownKeys();
  let ids = known;
  const terminate = async (): Promise<void> => {
    if (ids.length === 0) ids = (await podsWith(ctx, mark)).map(idOf);
    const message = `no pod of a run ${JSON.stringify(mark)}`;
    if (ids.length === 0) throw new Failure({ code: 'not-found', exit: EXIT.notFound, message });
    for (const each of ids) await terminateOwn(ctx, each);
  };
  const isOfSettings = ({ exit }: Failure): boolean => exit === EXIT.denied || exit === EXIT.usage;
  const mayPass = (error: Failure): boolean =>
    !isOfSettings(error) && ctx.clock.monotonic() - startedAt < (error.exit === EXIT.notFound ? lagMs : 5 * MINUTE_MS);
  await again(ctx, terminate, mayPass).catch((error: unknown) => {
    rethrowUnlessFailure(error, ctx);
    if (error.exit === EXIT.notFound) keys.remove(mark);
    if (error.exit === EXIT.notFound || (isOfSettings(error) && known.length === 0)) throw error;
    throw unknownOutcome(`${mark} may still run: ${error.message}`, berth`run end ${mark}`, ids[0]);
  });
  keys.remove(mark);
  return ids;
}

async function writeReceipt(ctx: CommandContext, run: Run, code = null as number | null, terminated: boolean) {
  const { id = null, name = null, createdAt = null } = objectOf(run.pod) ?? {};
  const { seconds, cost = null } = spent(ctx, run);
  const files = { filesIn: run.files.in, filesOut: run.files.out };
  const hardware = hardwareOf(run.pod);
  const text = encodeJson({ id, name, hardware, createdAt, seconds, exitCode: code, cost, ...files, terminated });
  const file = textIn(run.values, 'receipt');
  if (file !== undefined) await ctx.files.write(file, `${text}\n`);
  else if (isJsonFormat(ctx.output.format)) await ctx.tell(text);
}

/** Since the create, in US dollars too. */
function spent(ctx: CommandContext, { startedAt, pod }: Run) {
  const passedMs = ctx.clock.monotonic() - startedAt;
  const seconds = Math.round(passedMs / 1000);
  const cost = times(numberAt(pod, 'cost'), passedMs / (60 * MINUTE_MS));
  return { seconds, time: formatDuration(seconds * 1000), cost };
}

async function say(ctx: CommandContext, line: Message): Promise<void> {
  if (!ctx.settings.get('quiet')) await ctx.tell(line);
}
