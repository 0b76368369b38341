import { run as runLine } from '../../cli/hint.ts';
import { defineCommand } from '../../cli/model/command.ts';
import { OUTCOMES } from '../../cli/model/common-schemas.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { arg, option } from '../../cli/model/params.ts';
import { idsArgument } from '../../cli/resource/read.ts';
import { selectorOptions } from '../../cli/resource/selectors.ts';
import { combinedFailure, type Outcome, outcomeResult } from '../../cli/resource/several.ts';
import { choose, labelOf } from '../../cli/resource/targets.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, isInterrupt, rethrowUnlessFailure, usage } from '../../core/failure.ts';
import type { Json } from '../../core/json.ts';
import { berth, lines, type Message } from '../../core/message.ts';
import { safeText, say, type TerminalText } from '../../core/safe-text.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import type { Result } from '../../output/view.ts';
import { reachPod } from './reach-pod.ts';
import { statusOf } from './reachable.ts';
import { PODS } from './resource.ts';
import {
  linesOf,
  type ReachablePod,
  remoteCommand,
  runSsh,
  runSshBeside,
  Said,
  SSH_FAILED,
  sshArguments,
  sshRefusal,
} from './ssh-command.ts';
import { START } from './start-first.ts';

export const exec = defineCommand({
  summary: 'run a command in a pod, or in several',
  details:
    'Runs over direct SSH and ends as the command does; 3 where the pod refuses your keys, 255 where ssh fails. Ctrl-C ends it with 130, but the command in the pod may go on, unless -t is given. On several pods it runs at once, without stdin.',
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
  run: async (ctx, { command, tty, cwd, env, start, ...selection }) => {
    if (command.length === 0) throw usage('missing COMMAND', runLine(berth`pods exec POD -- nvidia-smi`));
    const line = remoteCommand(command, { cwd, env, tty });
    const { isSelected, targets } = await choose(ctx, PODS, selection);
    const isAble = (row: Json | undefined): boolean => row === undefined || statusOf(row) === 'RUNNING' || start;
    const able = targets.filter(({ row }) => isAble(row));
    const skipped = targets
      .filter(({ row }) => !isAble(row))
      .map(({ row = null }) => `${labelOf(row)}: ${statusOf(row)}`);
    if (skipped.length > 0) await ctx.tell(`skipped ${skipped.join(', ')}`);
    const [only, ...others] = able;
    if (only === undefined)
      throw new Failure({
        code: 'not-found',
        exit: EXIT.notFound,
        message: 'no running pod matches',
        hint: runLine(berth`pods list`),
      });
    if (!isSelected && others.length === 0)
      return await runInOne(ctx, await reachPod(ctx, only.word, start), line, tty);
    if (tty) throw usage('-t needs one pod', 'Leave it out for several.');
    const outcomes = await Promise.all(able.map(({ word }) => runBeside(ctx, word, line, start)));
    // In table output, the lines themselves are the output.
    if (isTableOutput(ctx.output)) return { kind: 'nothing', failure: combinedFailure(outcomes) };
    return outcomeResult(ctx, 'pod', outcomes, 'done');
  },
});

async function runInOne(ctx: CommandContext, pod: ReachablePod, line: string, tty: boolean): Promise<Result> {
  const said = new Said();
  const code = await runSsh(ctx, await sshArguments(ctx, pod, { line, tty }), { tty, said, hint: mayGoOn(pod) });
  if (code !== SSH_FAILED) return { kind: 'program', code };
  const refusal = sshRefusal(pod, said.lines);
  if (refusal !== undefined) throw refusal;
  return { kind: 'program', code, notes: ['ssh failed (255).', runLine(berth`pods get ${pod.id}`)] };
}

/** ssh forwards no signals: only a terminal in the pod gets Ctrl-C, or SIGHUP at disconnect. */
const mayGoOn = ({ id, name }: ReachablePod): Message =>
  lines(`The command may still run in pod ${name}.`, runLine(berth`pods exec ${id} -- ps aux`)) ?? '';

async function runBeside(ctx: CommandContext, word: string, line: string, start: boolean): Promise<Outcome> {
  try {
    const pod = await reachPod(ctx, word, start);
    const output = isTableOutput(ctx.output) ? ctx.stdout : ctx.stderr;
    const said = new Said();
    const onOutput = prefixedLines(pod.name, (text) => void output.write(text));
    const onError = prefixedLines(pod.name, (text) => void ctx.stderr.write(text));
    const code = await runSshBeside(ctx, await sshArguments(ctx, pod, { line }), {
      onOutput: onOutput.take,
      onError: (bytes) => {
        said.take(bytes);
        onError.take(bytes);
      },
    });
    onOutput.end();
    onError.end();
    const shown = { id: pod.id, name: pod.name };
    if (code === 0) return shown;
    if (ctx.signal.aborted && isInterrupt(ctx.signal.reason))
      return { ...shown, failure: ctx.signal.reason.with({ hint: mayGoOn(pod) }) };
    const refusal = code === SSH_FAILED ? sshRefusal(pod, said.lines) : undefined;
    return { ...shown, failure: refusal ?? endedWith(code) };
  } catch (error) {
    rethrowUnlessFailure(error, ctx);
    return { id: word, failure: error };
  }
}

const endedWith = (code: number): Failure =>
  code === SSH_FAILED
    ? new Failure({ code: 'ssh-failed', exit: EXIT.jobFailed, message: 'ssh failed (255)' })
    : new Failure({ code: 'command-failed', exit: EXIT.jobFailed, message: `exit code ${String(code)}` });

const prefixedLines = (name: string, write: (line: TerminalText) => void) =>
  linesOf((line) => {
    write(`${say`${name}: `}${safeText(line, true)}\n` as TerminalText);
  });
