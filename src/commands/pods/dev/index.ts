import { isInterrupt, unlessFailed, usage, type Failure } from '../../../core/failure.ts';
import { allowedAccess, isAllowed } from '../../../core/access.ts';
import { EXIT } from '../../../core/exit-codes.ts';
import { berth, sentence } from '../../../core/message.ts';
import { asId } from '../../../core/ids.ts';
import { defineCommand } from '../../../cli/model/command.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { arg, option } from '../../../cli/model/params.ts';
import { readRow } from '../../../cli/resource/identity/identify.ts';
import { idArgument } from '../../../cli/resource/read.ts';
import { idOf } from '../../../output/view.ts';
import { podAction } from '../../shared/pod-action.ts';
import { podsRate, rateWithUnknown } from '../../shared/rate/hourly-cost.ts';
import { stillPaidLines } from '../actions/cost.ts';
import { PODS } from '../pod/resource.ts';
import { statusOf } from '../pod/reachable.ts';
import { reachPod, type ReachablePod } from '../reach/reach-pod.ts';
import { START } from '../reach/start-first.ts';
import { devLoop } from './dev-loop.ts';
import { MANIFEST_NAME } from './manifest.ts';
import { openSourceFolder } from './source-folder.ts';

/** Signals that end a command or let it read its files again. */
const SIGNALS = ['TERM', 'INT', 'HUP', 'QUIT', 'USR1', 'USR2', 'KILL'];

/** `berth pods dev`: works on a folder of this machine and runs it in a pod. */
export const dev = defineCommand({
  summary: 'send a folder to a pod, run a command there, and again after each change',
  details: `Runs until Ctrl-C, by direct SSH with your ssh. Files go one way, from here to the pod: all but what git ignores (.gitignore, also of the repository around the folder, .git/info/exclude), .git itself, links, and what --exclude names. Each file is put in place whole. The command starts again when the SHA-256 of every file of a change is the same on both sides; its output comes as it is written. In the pod, ${MANIFEST_NAME} says what berth put there: only that is removed, and only as it was put. The connection is made again when the pod was restarted on another port. Ctrl-C asks whether to stop the pod.`,
  changesMachine: true,
  needs: ({ start }) => (start ? 'write' : 'read'),
  waits: true,
  exits: [EXIT.jobFailed],
  args: {
    id: idArgument(PODS),
    command: arg.afterDashes(
      'the command and its arguments, as they are; it starts in the folder',
      '-- COMMAND ARGS...',
    ),
  },
  options: {
    path: option.text('the folder here', { metavar: 'DIR', initialText: 'this one' }),
    to: option.text('the folder in the pod, absolute or below the home folder; by default it has the same name', {
      metavar: 'PATH',
    }),
    exclude: option.texts('leave these files out, as a line of .gitignore', { metavar: 'PATTERN' }),
    noRestart: option.on('only send what changed: the command sees to the rest'),
    signal: option.choice('what ends the command before it starts again; SIGKILL follows after 10 s', SIGNALS, {
      initial: 'TERM',
    }),
    start: START,
  },
  examples: [
    ['berth pods dev train-llm -- python train.py', 'this folder, and its program'],
    [
      "berth pods dev train-llm --path app --exclude '*.ckpt' --no-restart -- uvicorn main:app --reload",
      'a program that sees to changes itself',
    ],
  ],
  run: async (ctx, { id, command, path = '.', to, exclude, noRestart, signal = 'TERM', start }) => {
    if (command.length === 0)
      throw usage('missing COMMAND', sentence`Write it after --: ${berth`pods dev POD`} -- python train.py`);
    const source = await openSourceFolder(await ctx.durable(), path, exclude);
    const target = targetOf(to, source.root);
    let pod: ReachablePod | undefined;
    try {
      return await ctx.interruptible(async (stop) => {
        const work = { ...ctx, signal: stop };
        if (start) await reachPod(work, id, true);
        return await devLoop(work, {
          ...{ word: id, source, target, command, restarts: !noRestart, signal },
          onPod: (reached) => (pod = reached),
        });
      });
    } catch (error) {
      if (!isInterrupt(error) || ctx.signal.aborted) throw error;
      return {
        kind: 'nothing',
        exit: error.exit,
        notes: await ending(ctx, pod ?? (start ? { id, name: id } : undefined), error),
      };
    }
  },
});

/** A path without a slash at its end. Fails with usage (2) where none can be had. */
function targetOf(to: string | undefined, root: string): string {
  const name = to ?? root.split(/[\\/]/).at(-1) ?? '';
  const target = name.replace(/^~\//, '').replace(/(?<=.)\/+$/, '');
  if (target === '' || target === '/' || target === '~' || /[\n\0]/.test(target))
    throw usage('there is no name for the folder in the pod', 'Name one with --to.');
  return target;
}

/** After Ctrl-C: asks whether to stop the pod, and says what it goes on costing. Nothing for a pod that was not reached. */
async function ending(
  ctx: CommandContext,
  pod: { readonly id: string; readonly name: string } | undefined,
  { exit }: Failure,
) {
  if (pod === undefined) return [];
  const { id, name } = pod;
  const row = await unlessFailed(ctx, async () => (await readRow(ctx, PODS, id)).answer.value ?? null);
  if (row === undefined || !['RUNNING', 'STARTING'].includes(statusOf(row))) return [];
  const mayStop = isAllowed('write', allowedAccess(ctx.settings));
  const asks = exit === EXIT.interrupted && ctx.terminal.canAsk && mayStop && statusOf(row) === 'RUNNING';
  const question = `Stop ${name}? That wipes its container disk. It costs ${rateWithUnknown(podsRate([row]))} while it runs.`;
  // Another Ctrl-C at the question is a no.
  const stops = asks && ((await unlessFailed(ctx, () => ctx.prompts.confirm(question, false))) ?? false);
  if (!stops) return stillPaidLines([row]);
  await ctx.api.send(podAction(asId(idOf(row)), 'stop'));
  return [`Stopped ${name}.`];
}
