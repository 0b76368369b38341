import { run as runLine } from '../../cli/hint.ts';
import { defineCommand } from '../../cli/model/command.ts';
import { outcomesSchema } from '../../cli/model/output-schema.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { arg, option } from '../../cli/model/params.ts';
import { idsArgument, selectorOptions } from '../../cli/resource/arguments.ts';
import { combinedFailure, type Outcome, outcomeResult } from '../../cli/resource/several.ts';
import { choose, labelOf } from '../../cli/resource/targets.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, isInterrupt, rethrowUnlessFailure, usage } from '../../core/failure.ts';
import { berth, lines } from '../../core/message.ts';
import { safeText, say, type TerminalText } from '../../core/safe-text.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import type { Result } from '../../output/view.ts';
import {
  linesOf,
  reachPod,
  remoteCommand,
  runInPod,
  runSsh,
  saidLines,
  SSH_FAILED,
  sshArguments,
  sshRefusal,
} from './reach-pod.ts';
import { statusOf } from './reachable.ts';
import { PODS } from './fields.ts';

export const exec = defineCommand({
  summary: 'run a command in a pod, or in several',
  details:
    'Runs over direct SSH and ends as the command does; 3 where the pod refuses your keys, 255 where ssh fails. Ctrl-C ends it with 130, but the command in the pod may go on, unless -t is given. On several pods it runs at once, without stdin.',
  changesMachine: true,
  exitsAsProgram: true,
  output: outcomesSchema,
  args: {
    id: idsArgument(PODS),
    command: arg.afterDashes('the command and its arguments, as they are', '-- COMMAND ARGS...'),
  },
  options: {
    tty: option.on('give it a terminal, as an interactive program needs it', { short: '-t' }),
    cwd: option.text('run it in this folder of the pod', { metavar: 'PATH' }),
    env: option.texts('a variable of the command', { metavar: 'NAME=VALUE' }),
    ...selectorOptions(PODS.table, 'pods'),
  },
  examples: [
    ['berth pods exec train-llm -- nvidia-smi', 'one command; its exit code is the exit code'],
    ['berth pods exec train-llm -t -- bash', 'an interactive shell'],
    ['berth pods exec train-llm -- cat results.json', 'its output is data'],
    ["berth pods exec --match 'train-*' -- df -h /workspace", 'the same on several pods at once'],
  ],
  run: async (ctx, { command, tty, cwd, env, ...selection }) => {
    if (command.length === 0) throw usage('missing COMMAND', runLine(berth`pods exec POD -- nvidia-smi`));
    const line = remoteCommand(command, { cwd, env, tty });
    const { isSelected, targets } = await choose(ctx, PODS, selection);
    const skipped = targets.filter(({ row }) => row !== undefined && statusOf(row) !== 'RUNNING');
    if (skipped.length > 0)
      await ctx.tell(`skipped ${skipped.map(({ row = null }) => `${labelOf(row)}: ${statusOf(row)}`).join(', ')}`);
    const words = targets.filter((target) => !skipped.includes(target)).map(({ word }) => word);
    const [only, ...others] = words;
    const hint = runLine(berth`pods list`);
    if (only === undefined)
      throw new Failure({ code: 'not-found', exit: EXIT.notFound, message: 'no running pod matches', hint });
    if (!isSelected && others.length === 0) return await runInOne(ctx, only, line, tty);
    if (tty) throw usage('-t needs one pod', 'Leave it out for several.');
    const outcomes = await Promise.all(words.map((word) => runBeside(ctx, word, line)));
    // In table output, the lines themselves are the output.
    if (isTableOutput(ctx.output)) return { kind: 'nothing', failure: combinedFailure(outcomes) };
    return outcomeResult(ctx, 'pod', outcomes, 'done');
  },
});

async function runInOne(ctx: CommandContext, word: string, line: string, tty: boolean): Promise<Result> {
  const pod = await reachPod(ctx, word);
  const { said, take } = saidLines();
  // ssh forwards no signals: only a terminal in the pod gets Ctrl-C, or SIGHUP at disconnect.
  const hint = lines(`The command may still run in pod ${pod.name}.`, runLine(berth`pods exec ${pod.id} -- ps aux`));
  const code = await runSsh(ctx, await sshArguments(ctx, pod, { line, tty }), tty, hint, take);
  if (code !== SSH_FAILED) return { kind: 'program', code };
  const refusal = sshRefusal(pod, said);
  if (refusal !== undefined) throw refusal;
  return { kind: 'program', code, notes: ['ssh failed (255).', runLine(berth`pods get ${pod.id}`)] };
}

async function runBeside(ctx: CommandContext, word: string, line: string): Promise<Outcome> {
  let known: Pick<Outcome, 'id' | 'name'> = { id: word };
  try {
    const pod = await reachPod(ctx, word);
    const { id, name } = pod;
    known = { id, name };
    const prefixed = (output: CommandContext['stdout']) =>
      linesOf((text) => void output.write(`${say`${name}: `}${safeText(text, true)}\n` as TerminalText));
    const [out, err] = [prefixed(isTableOutput(ctx.output) ? ctx.stdout : ctx.stderr), prefixed(ctx.stderr)];
    const { code, said } = await runInPod(ctx, pod, line, { onOutput: out.take, onError: err.take });
    out.end();
    err.end();
    if (code === 0) return known;
    const refusal = code === SSH_FAILED ? sshRefusal(pod, said) : undefined;
    const message = code === SSH_FAILED ? 'ssh failed (255)' : `exit code ${String(code)}`;
    return { ...known, failure: refusal ?? new Failure({ code: 'command-failed', exit: EXIT.jobFailed, message }) };
  } catch (error) {
    if (isInterrupt(error) && known.name !== undefined)
      return { ...known, failure: error.with({ hint: `The command may still run in pod ${known.name}.` }) };
    rethrowUnlessFailure(error, ctx);
    return { ...known, failure: error };
  }
}
