import { defineCommand } from '../../cli/model/command.ts';
import { OUTCOMES } from '../../cli/model/common-schemas.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { arg, option } from '../../cli/model/params.ts';
import { hasSelector, labelOf, selectTargets } from '../../cli/resource/choose.ts';
import { idsArgument } from '../../cli/resource/read.ts';
import { selectorOptions } from '../../cli/resource/selectors.ts';
import { combinedFailure, type Outcome, outcomeResult } from '../../cli/resource/several.ts';
import { type ReachablePod, reachPod, sshArguments, stateNow } from './reach-pod.ts';
import { statusOf } from './reachable.ts';
import { PODS } from './resource.ts';
import { remoteCommand, runSsh, runSshBeside, SSH_FAILED } from './ssh-command.ts';
import { START } from './start-first.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, isInterrupt, rethrowUnlessFailure, usage } from '../../core/failure.ts';
import type { Json } from '../../core/json.ts';
import { berth, type Message, sentence } from '../../core/message.ts';
import { safeText, say, type TerminalText } from '../../core/safe-text.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import { idOf } from '../../output/view.ts';

export const exec = defineCommand({
  summary: 'run a command in a pod, or in several',
  details:
    'Runs by direct SSH; the exit code is that of the command, 255 that of ssh itself. Ctrl-C ends it with 130, but the command in the pod may go on, unless -t is given. On several pods it runs at once, without stdin.',
  changesMachine: true,
  exitsAsProgram: true,
  output: OUTCOMES,
  args: {
    id: idsArgument(PODS),
    command: arg.afterDashes('the command and its arguments, as they are', '-- COMMAND ARGS...'),
  },
  options: {
    tty: option.on('give it a terminal, as an interactive program needs it', { short: '-t' }),
    cwd: option.text('run it in this folder of the pod', { metavar: 'PATH' }),
    env: option.texts('a variable of the command', { metavar: 'NAME=VALUE' }),
    start: START,
    ...selectorOptions(PODS.table, 'pods'),
  },
  examples: [
    ['berth pods exec train-llm -- nvidia-smi', 'one command; its exit code is the exit code'],
    ['berth pods exec train-llm -t -- bash', 'an interactive shell'],
    ['berth pods exec train-llm -- cat results.json', 'its output is data'],
    ["berth pods exec --match 'train-*' -- df -h /workspace", 'the same on several pods at once'],
  ],
  run: async (ctx, { command, tty, cwd, env, start, ...values }) => {
    if (command.length === 0)
      throw usage('missing COMMAND', sentence`Write it after --: ${berth`pods exec POD -- nvidia-smi`}`);
    const line = remoteCommand(command, { cwd, env, tty });
    const selected = hasSelector(values)
      ? await selectTargets(ctx, PODS, values, start ? whatIsGone : whatDoesNotRun)
      : undefined;
    const words = selected?.targets.map(({ word }) => word) ?? [...new Set(values.id)];
    const [only, ...others] = words;
    if (only === undefined) throw ranNowhere();
    if (others.length === 0 && selected === undefined) return await runInOne(ctx, only, line, { tty, start });
    if (tty) throw usage('-t needs one pod', 'Leave it out for several.');
    const outcomes = await Promise.all(words.map((word) => runInOneOfSeveral(ctx, word, line, start)));
    // In table output, the lines themselves are the output.
    if (isTableOutput(ctx.output)) return { kind: 'nothing', failure: combinedFailure(outcomes) };
    return outcomeResult(ctx, 'pod', outcomes, 'done');
  },
});

const ranNowhere = (): Failure =>
  new Failure({
    code: 'not-found',
    exit: EXIT.notFound,
    message: 'the selectors pick no pod that runs: the command ran nowhere',
    hint: sentence`See ${berth`pods list`}.`,
  });

const leavingOut =
  (isLeftOut: (status: string) => boolean) =>
  (pods: readonly Json[]): Promise<ReadonlyMap<string, string>> =>
    Promise.resolve(
      new Map(
        pods
          .filter((pod) => isLeftOut(statusOf(pod)))
          .map((pod) => [idOf(pod), `pod ${labelOf(pod)} is ${statusOf(pod)}`]),
      ),
    );

const whatDoesNotRun = leavingOut((status) => status !== 'RUNNING');
const whatIsGone = leavingOut((status) => status === 'TERMINATED');

async function runInOne(
  ctx: CommandContext,
  word: string,
  line: string,
  { tty, start }: { readonly tty: boolean; readonly start: boolean },
) {
  const pod = await reachPod(ctx, word, start);
  const code = await runSsh(ctx, await sshArguments(ctx, pod, { line, tty }), { tty, hint: mayGoOn(pod) });
  const notes = code === SSH_FAILED ? [notKnown(pod), ...(await stateNow(ctx, pod))] : [];
  return { kind: 'program', code, notes } as const;
}

const notKnown = ({ id }: ReachablePod): Message =>
  sentence`ssh ended with 255, its own code for an error: whether the command ran is not known. What it does: ${berth`pods ssh ${id}`} -- -v`;

/** ssh forwards no signals: only a terminal in the pod gets Ctrl-C, or SIGHUP at disconnect. */
const mayGoOn = ({ id, name }: ReachablePod): Message =>
  sentence`What ran in ${name} was sent no signal and may go on there; with -t it ends with the connection. See: ${berth`pods exec ${id}`} -- ps aux`;

async function runInOneOfSeveral(ctx: CommandContext, word: string, line: string, start: boolean): Promise<Outcome> {
  try {
    const pod = await reachPod(ctx, word, start);
    const output = isTableOutput(ctx.output) ? ctx.stdout : ctx.stderr;
    const onOutput = prefixedLines(pod.name, (text) => void output.write(text));
    const onError = prefixedLines(pod.name, (text) => void ctx.stderr.write(text));
    const args = await sshArguments(ctx, pod, { line });
    const code = await runSshBeside(ctx, args, { onOutput: onOutput.take, onError: onError.take });
    onOutput.end();
    onError.end();
    const shown = { id: pod.id, name: pod.name };
    if (code !== 0 && ctx.signal.aborted && isInterrupt(ctx.signal.reason))
      return { ...shown, failure: ctx.signal.reason.with({ hint: mayGoOn(pod) }) };
    return code === 0 ? shown : { ...shown, failure: endedWith(code) };
  } catch (error) {
    rethrowUnlessFailure(error, ctx);
    return { id: word, failure: error };
  }
}

const endedWith = (code: number): Failure =>
  new Failure({
    code: code === SSH_FAILED ? 'ssh-failed' : 'command-failed',
    exit: EXIT.jobFailed,
    message:
      code === SSH_FAILED
        ? 'ssh ended with 255: whether the command ran is not known'
        : `it ended with exit code ${String(code)}`,
  });

/** In characters; longer lines are split. */
const LONGEST_LINE = 65_536;

/** Makes output safe for a terminal. */
function prefixedLines(name: string, write: (line: TerminalText) => void) {
  const decoder = new TextDecoder();
  const head = say`${name}: `;
  let rest = '';
  const print = (line: string): void => {
    write(`${head}${safeText(line.replace(/\r$/, ''), true)}\n` as TerminalText);
  };
  const takeText = (text: string): void => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(print);
    for (; rest.length > LONGEST_LINE; rest = rest.slice(LONGEST_LINE)) print(rest.slice(0, LONGEST_LINE));
  };
  return {
    take: (bytes: Uint8Array): void => {
      takeText(decoder.decode(bytes, { stream: true }));
    },
    /** Prints the rest if it has no line feed. */
    end: (): void => {
      takeText(decoder.decode());
      if (rest !== '') print(rest);
      rest = '';
    },
  };
}
