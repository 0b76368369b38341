import type { CommandContext } from '../../../../cli/model/context.ts';
import type { ReachablePod } from '../reach-pod.ts';
import { sshArguments } from '../ssh-arguments.ts';
import { createByteQueue } from './byte-queue.ts';

/** Computes SHA-256 in a pod. */
export interface PodDigests {
  /** In hexadecimal; undefined where there is no such file, or the pod cannot say. A relative path is one below the home folder. */
  of(path: string): Promise<string | undefined>;
  /** Whether the pod has what is needed. */
  isKnown(): Promise<boolean>;
  close(): Promise<void>;
}

/** Reads paths, a line each, and prints a line for each. A path is never a word of a command. */
const SCRIPT =
  'command -v sha256sum >/dev/null || exit 0; echo ready; ' +
  'while IFS= read -r f; do if [ -f "$f" ]; then sha256sum < "$f" || echo -; else echo -; fi; done 2>/dev/null';

/** A line of the pod is not longer. Characters. */
const MAX_LINE = 1000;

/** Opens a shell in the pod at the first question, and asks it one file after the other. */
export function createPodDigests(
  ctx: Pick<CommandContext, 'spawn' | 'terminal' | 'signal'>,
  pod: ReachablePod,
): PodDigests {
  const input = createByteQueue();
  const answers: ((line: string | undefined) => void)[] = [];
  let rest = '';
  let isOver = false;
  const take = (bytes: Uint8Array): void => {
    const lines = (rest + Buffer.from(bytes).toString('latin1')).split('\n');
    rest = (lines.pop() ?? '').slice(0, MAX_LINE);
    for (const line of lines) answers.shift()?.(line);
  };
  const next = (): Promise<string | undefined> =>
    new Promise((resolve) => {
      if (isOver) resolve(undefined);
      else answers.push(resolve);
    });
  const open = async () => {
    const first = next();
    const program = await ctx.spawn.start('ssh', await sshArguments(ctx, pod, { line: SCRIPT }), {
      input: input.bytes,
      onOutput: take,
      onError: () => undefined,
    });
    const stop = (): void => {
      program.stop();
    };
    ctx.signal.addEventListener('abort', stop, { once: true });
    const ended = program.ended.then(() => {
      ctx.signal.removeEventListener('abort', stop);
      isOver = true;
      for (const answer of answers.splice(0)) answer(undefined);
    });
    return { ended, isKnown: (await first) === 'ready' };
  };
  let opened: ReturnType<typeof open> | undefined;
  const shell = () => (opened ??= open());
  return {
    isKnown: async () => (await shell()).isKnown,
    of: async (path) => {
      if (path.includes('\n') || !(await shell()).isKnown) return undefined;
      const answer = next();
      input.add(Buffer.from(`${path}\n`));
      return /^[0-9a-f]{64}(?= )/.exec((await answer) ?? '')?.[0];
    },
    close: async () => {
      input.end();
      await (
        await opened
      )?.ended;
    },
  };
}
