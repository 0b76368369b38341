/** Ports of this machine that lead to a pod, kept through breaks of the connection and restarts of the pod. */
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, isInterrupt, isNotFound, usage } from '../../core/failure.ts';
import { type Json, memberAt, numberAt, stringAt, stringsOf } from '../../core/json.ts';
import { berth } from '../../core/message.ts';
import { safeText } from '../../core/safe-text.ts';
import { untilAborted } from '../../core/until-aborted.ts';
import { run as runLine } from '../../cli/hint.ts';
import { defineCommand } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { manyOf, ownObject, TEXT, WHOLE } from '../../cli/model/output-schema.ts';
import { arg } from '../../cli/model/params.ts';
import { idArgument } from '../../cli/resource/arguments.ts';
import { textColumn } from '../../cli/resource/fields.ts';
import { every, until } from '../../cli/until.ts';
import type { RowWriter } from '../../output/render.ts';
import { idOf, type View } from '../../output/view.ts';
import { linesOf, LOOPBACK, notReachable, readPod, reachableOf, type ReachablePod, sshRefusal } from './reach-pod.ts';
import { addressArguments, sshOptions, trustOptions } from './ssh-options.ts';
import { describeReach, directSsh, isReachable, statusOf } from './reachable.ts';
import { PODS } from './fields.ts';
import { answerOf } from '../../cli/resource/targets.ts';

const forwardView: View = {
  noun: ['forward', 'forwards'],
  id: idOf,
  members: ['id', 'address', 'local', 'remote'],
  columns: [
    { header: 'LOCAL', show: (row) => `${stringAt(row, 'address') ?? ''}:${String(numberAt(row, 'local'))}` },
    textColumn('remote'),
  ],
};

export const forward = defineCommand({
  summary: 'reach ports of a pod from this machine',
  details:
    'Runs until Ctrl-C, by direct SSH. Reconnects after a break or a restart of the pod; ends when the pod has stopped or is gone. Only this machine can connect.',
  changesMachine: true,
  waits: true,
  exits: [EXIT.jobFailed],
  output: () => manyOf(ownObject({ id: TEXT, address: TEXT, local: WHOLE, remote: WHOLE })),
  args: {
    id: idArgument(PODS),
    ports: arg.any('8080, or 9000:8080 for 9000 here; :8080 takes any free port', {
      metavar: 'LOCAL:REMOTE',
    }),
  },
  examples: [
    ['berth pods forward train-llm 8888', 'a notebook of the pod at http://127.0.0.1:8888'],
    ['berth pods forward train-llm 0:8888 6006:6006', 'several; the first on any free port'],
  ],
  run: async (ctx, { id, ports }) => {
    if (ports.length === 0) throw usage('missing LOCAL:REMOTE', 'Name ports: 8888:8888, or 8888 for both.');
    const forwards: Forward[] = [];
    for (const { local, remote } of ports.map(forwardOf))
      forwards.push({ local: await ctx.spawn.freePort(LOOPBACK, local), remote });
    let rows: RowWriter | undefined;
    try {
      return await keepConnected(ctx, id, forwards, async (pod) => {
        const isFirst = rows === undefined;
        rows ??= ctx.rows(forwardView);
        if (isFirst) await rows.rows(forwards.map((each) => ({ id: pod.id, address: LOOPBACK, ...each })));
        await ctx.tell(`Connected to ${pod.name}${isFirst ? '. Ctrl-C ends it' : ' again'}.`);
      });
    } catch (error) {
      if (!isInterrupt(error)) throw error;
      return { kind: 'nothing', exit: error.exit };
    } finally {
      await rows?.close();
    }
  },
});

/** A port of this machine that leads to a port of the pod. */
interface Forward {
  readonly local: number;
  readonly remote: number;
}

const MAX_PORT = 65_535;

/** `LOCAL:REMOTE` or one number; `:REMOTE` and `0:REMOTE` use any free local port. Usage (2). */
function forwardOf(word: string): Forward {
  const [all, first, second] = /^(?:(\d{0,5}):)?(\d{1,5})$/.exec(word) ?? [];
  const [local, remote] = [Number(first ?? second), Number(second)];
  if (all !== undefined && local <= MAX_PORT && remote <= MAX_PORT && remote > 0) return { local, remote };
  throw usage(
    `${JSON.stringify(word)} is not LOCAL:REMOTE`,
    'Ports are numbers from 1 to 65535: 8888:8888, or 8888 for both; 0:8888 takes a free port here.',
  );
}

const MAX_FIRST_TRIES = 5;
/** Milliseconds; doubles up to the last one. */
const [FIRST_WAIT_MS, LAST_WAIT_MS] = [500, 15_000];

type OnOpen = (pod: ReachablePod) => Promise<void>;

/** Reconnects until interrupted. Pod-ended (10), denied (3), unavailable (7), port-in-use (14). */
async function keepConnected(
  ctx: CommandContext,
  word: string,
  forwards: readonly Forward[],
  onOpen: OnOpen,
): Promise<never> {
  let pod: ReachablePod | undefined;
  let [wasOpen, failed] = [false, 0];
  for (;;) {
    pod = await reached(ctx, word, pod);
    const { said, isOpen } = await openTunnel(ctx, pod, forwards, onOpen);
    wasOpen ||= isOpen;
    failed = isOpen ? 0 : failed + 1;
    const why = safeText(said.at(-1)?.replace(/\.$/, '') ?? 'ssh failed');
    if (!isOpen) throwIfFinal(pod, said, !wasOpen && failed >= MAX_FIRST_TRIES ? why : undefined);
    if (failed < 2) await ctx.tell(`No connection to ${pod.name}: ${why}. Connecting again.`);
    await every(ctx, Math.min(LAST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.max(0, failed - 1)));
  }
}

const KEPT_LINES = 20;

const DETAILS = /^(debug\d: |Authenticated to |Transferred: |Bytes per second: |Warning: Permanently added |\s*$)/;

/** Only at DEBUG1 does `ssh -N` say when the ports are open. A silent connection ends after 30 s. */
const OPTIONS = [
  ...['LogLevel=DEBUG1', 'ExitOnForwardFailure=yes'],
  ...['ServerAliveInterval=10', 'ServerAliveCountMax=3', 'ConnectTimeout=20'],
];

/** Runs one ssh until it ends: what it said, and whether its ports were open. Usage (2) if ssh is missing. */
async function openTunnel(ctx: CommandContext, pod: ReachablePod, forwards: readonly Forward[], onOpen: OnOpen) {
  const said: string[] = [];
  const refused = new Set<string>();
  let [isOpen, opened] = [false, Promise.resolve()];
  let fail: (error: unknown) => void = () => undefined;
  const broken = new Promise<never>((_, reject) => (fail = reject));
  const onLine = (line: string): void => {
    const [, refusal] = /open failed: (.*)/.exec(line) ?? [];
    if (line.startsWith('debug1: Entering interactive session')) {
      isOpen = true;
      opened = onOpen(pod);
      opened.catch(fail);
    } else if (refusal !== undefined) {
      if (!refused.has(refusal)) void ctx.tell(`connection refused on the other side: ${refusal}`);
      refused.add(refusal);
    } else if (!DETAILS.test(line)) said.push(line);
    if (said.length > KEPT_LINES) said.shift();
  };
  const ports = forwards.flatMap(({ local, remote }) => [
    '-L',
    `${LOOPBACK}:${String(local)}:localhost:${String(remote)}`,
  ]);
  const trust = trustOptions(pod, await ctx.spawn.knownHosts());
  const args = [...trust, ...sshOptions(OPTIONS), '-N', ...ports, ...addressArguments(pod.address)];
  const program = await ctx.spawn.start('ssh', args, { onOutput: () => undefined, onError: linesOf(onLine).take });
  try {
    await untilAborted(ctx.signal, Promise.race([program.ended, broken]));
    await opened;
    return { said, isOpen };
  } finally {
    program.stop();
  }
}

/** Fails for errors that a retry cannot change, and at the last try with its reason. */
function throwIfFinal(pod: ReachablePod, said: readonly string[], last: string | undefined): void {
  const { id, name } = pod;
  const inUse = said.find((line) => /cannot listen to port|[Aa]ddress already in use/.test(line));
  if (inUse !== undefined)
    throw new Failure({
      code: 'port-in-use',
      exit: EXIT.localFile,
      message: `cannot listen here: ${safeText(inUse)}`,
      hint: 'Use another port; 0:REMOTE takes a free one.',
    });
  const refusal = sshRefusal(pod, said);
  if (refusal !== undefined) throw refusal;
  if (last === undefined) return;
  const message = `could not connect to pod ${name}: ${last}`;
  const hint = runLine(berth`pods ssh ${id} -- -v`);
  throw new Failure({ code: 'not-connected', exit: EXIT.unavailable, message, hint, id });
}

/** Waits while the pod starts. A pod that was reached before and has stopped is pod-ended (10). */
async function reached(ctx: CommandContext, word: string, known?: ReachablePod): Promise<ReachablePod> {
  const id = known?.id ?? word;
  let found: Awaited<ReturnType<typeof readPod>> | undefined;
  const read = async () => answerOf((found = await readPod(ctx, id)).pod);
  const goal = {
    noun: 'pod',
    name: 'reachable',
    done: (pod: Json) => directSsh(pod) !== undefined,
    stuck: (pod: Json) => (isComing(pod) ? undefined : notReachable(pod, idOf(pod))),
    describe: describeReach,
  };
  const [end] = await until(ctx, [{ id, read, isFirst: known === undefined }], goal, Infinity);
  const { answer, failure } = end ?? {};
  if (failure === undefined && found !== undefined) return reachableOf(found);
  const isGone = isNotFound(failure);
  if (known === undefined || failure === undefined || (answer === undefined && !isGone))
    throw failure ?? new Error('no end');
  const status = isGone ? 'gone' : statusOf(answer?.value ?? null);
  const message = `pod ${known.name} is ${status}: no longer connected`;
  throw failure.with({ code: 'pod-ended', exit: EXIT.jobFailed, message, id });
}

const isComing = (pod: Json): boolean =>
  ['PROVISIONING', 'STARTING'].includes(statusOf(pod)) ||
  (statusOf(pod) === 'RUNNING' && stringsOf(memberAt(pod, 'ports')).includes('22/tcp') && !isReachable(pod));
