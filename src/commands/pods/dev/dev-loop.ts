import { EXIT } from '../../../core/exit-codes.ts';
import { Failure } from '../../../core/failure.ts';
import { formatBytes } from '../../../core/units.ts';
import { untilAborted } from '../../../cli/run/until-aborted.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { countOf } from '../../../cli/words/words.ts';
import { openPodFiles, type PodFiles } from '../reach/files/pod-files.ts';
import type { ReachablePod } from '../reach/reach-pod.ts';
import { growingWaits, reachWhenThere } from '../reach/reach-when-there.ts';
import { openPodFolder, type PodFolder } from './pod-folder.ts';
import { startRemoteProgram, type RemoteProgram } from './remote-program.ts';
import type { SourceFolder } from './source-folder.ts';
import { watchSource, type Watched } from './watched.ts';
import type { Milliseconds } from '../../../core/unit-types.ts';

export interface DevOptions {
  readonly word: string;
  readonly source: SourceFolder;
  /** The folder in the pod. */
  readonly target: string;
  readonly command: readonly string[];
  /** Whether the command starts again after a change. */
  readonly restarts: boolean;
  /** Ends the command. */
  readonly signal: string;
  /** The pod was reached. */
  readonly onPod: (pod: ReachablePod) => void;
}

/**
 * Sends a folder to a pod and runs a command there, again after each change, until the signal of the context. A connection that
 * ends is made again, to the address that the pod has then, and everything is compared again. Fails as `reachWhenThere`, with
 * local-file (14) when the folder is gone, and as the files of a pod do.
 */
export async function devLoop(ctx: CommandContext, options: DevOptions): Promise<never> {
  const watched = await watchSource(ctx, options.source);
  const told = new Set<string>();
  let known: ReachablePod | undefined;
  const waits = growingWaits(ctx);
  try {
    for (;;) {
      const pod = await untilAborted(ctx.signal, reachWhenThere(ctx, options.word, known));
      options.onPod(pod);
      try {
        const files = await openPodFiles(ctx, pod);
        try {
          known = pod;
          await onePod(ctx, { ...options, watched, files, told, onRunning: waits.reset });
        } finally {
          await files.close().catch(() => undefined);
        }
      } catch (error) {
        ctx.signal.throwIfAborted();
        if (known === undefined || !(error instanceof Failure) || !isLost(error)) throw error;
        await ctx.tell(`The connection to ${pod.name} ended: ${error.message}. Connecting again.`);
      }
      await waits.wait();
    }
  } finally {
    await watched.close();
  }
}

/** Whether a failure is of the connection, or of a folder that somebody removed in the pod: all is compared again then. */
const isLost = ({ exit }: Failure): boolean => exit === EXIT.unavailable || exit === EXIT.notFound;

interface OnePod extends DevOptions {
  readonly watched: Watched;
  readonly files: PodFiles;
  /** What was said of files that are left out. */
  readonly told: Set<string>;
  readonly onRunning: () => void;
}

/** The loop while one connection lasts. */
async function onePod(ctx: CommandContext, options: OnePod): Promise<never> {
  const { watched, files, target, command, restarts, signal, onRunning } = options;
  const { pod } = files;
  const folder = await openPodFolder(files, target);
  if (!folder.hadManifest)
    await ctx.tell(
      `${pod.name}:${target} has no record of what berth put there: all files are sent, and none is removed.`,
    );
  await syncUntilSettled(ctx, options, folder, true);
  const now: { program: RemoteProgram | undefined; isRunning: boolean } = { program: undefined, isRunning: false };
  let breakOff: (error: unknown) => void = () => undefined;
  const lost = new Promise<never>((_, reject) => (breakOff = reject));
  lost.catch(() => undefined);
  const start = async (): Promise<void> => {
    const started = await startRemoteProgram(ctx, pod, target, command);
    Object.assign(now, { program: started, isRunning: true });
    void started.ended.then(async (code) => {
      if (now.program !== started || ctx.signal.aborted) return;
      now.isRunning = false;
      try {
        // ssh ends with 255 too when the connection is gone.
        await files.look('.');
        await ctx.tell(`The command ended with exit code ${String(code)}. It starts again after a change.`);
      } catch (error) {
        breakOff(error);
      }
    });
  };
  const stop = async (): Promise<void> => {
    const running = now.program;
    now.program = undefined;
    await running?.stop(signal);
  };
  try {
    await start();
    onRunning();
    for (;;) {
      await untilAborted(ctx.signal, Promise.race([watched.next(), lost]));
      const changed = await untilAborted(
        ctx.signal,
        Promise.race([syncUntilSettled(ctx, options, folder, false), lost]),
      );
      const [first, ...others] = changed;
      if (first === undefined) continue;
      const cause = `${first} changed${others.length === 0 ? '' : `, and ${countOf(others.length, 'other file')}`}`;
      if (!restarts && now.isRunning) {
        await ctx.tell(`Sent: ${cause}.`);
        continue;
      }
      await ctx.tell(`Restarting: ${cause}.`);
      await stop();
      await start();
    }
  } finally {
    if (!ctx.signal.aborted) await stop().catch(() => undefined);
  }
}

/** Waits before a file that changes while it is sent is sent again. */
const UNSETTLED_MS: Milliseconds = 250;

/** Makes the folder of the pod like the one here. Returns what is other than before, when all of it agrees on both sides. */
async function syncUntilSettled(
  ctx: CommandContext,
  { source, watched, files: { pod }, target, told }: OnePod,
  folder: PodFolder,
  isFirst: boolean,
): Promise<readonly string[]> {
  const changed = new Set<string>();
  for (let round = 1; ; round += 1) {
    const scan = await source.scan();
    for (const line of scan.leftOut) {
      if (!told.has(line)) await ctx.tell(`${line}.`);
      told.add(line);
    }
    const plan = await folder.plan(scan);
    if (scan.files.size === 0 && plan.remove.length > 0)
      throw new Failure({
        code: 'local-file',
        exit: EXIT.localFile,
        message: `${source.root} has no files any more: nothing was removed in the pod`,
        hint: 'Is it still mounted? An empty folder is not sent.',
      });
    const progress = isFirst && round === 1 && plan.send.length > 0 ? ctx.progress('sending') : undefined;
    if (isFirst && round === 1)
      await ctx.tell(
        `Sending ${countOf(plan.send.length, 'file')} of ${String(scan.files.size)} (${formatBytes(plan.bytes)}) to ${pod.name}:${target}${plan.remove.length === 0 ? '' : `, removing ${String(plan.remove.length)}`}.`,
      );
    let sent = 0;
    try {
      const {
        changed: different,
        unsettled,
        kept,
      } = await folder.sync(scan, plan, (bytes) => {
        sent += bytes;
        progress?.update(`sending: ${formatBytes(sent)} of ${formatBytes(plan.bytes)}`);
      });
      for (const path of different) changed.add(path);
      for (const path of kept) await ctx.tell(`${path} was changed in the pod: it stays there.`);
      if (different.some((path) => path.split('/').at(-1) === '.gitignore')) await watched.renew();
      if (unsettled.length === 0) return [...changed];
      if (round === 1) await ctx.tell(`${unsettled[0] ?? ''} changed while it was sent. It is sent again.`);
    } finally {
      await progress?.stop();
    }
    await ctx.clock.sleep(UNSETTLED_MS, ctx.signal);
  }
}
