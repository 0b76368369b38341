import type { LiveHooks, TakenTerminal } from '../../core/context.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { readKeys } from './keys.ts';
import { restoreAfterKill } from './restore-after-kill.ts';

type TerminalRuntime = Pick<Runtime, 'env' | 'stdin' | 'stdout' | 'signals' | 'platform' | 'childStreams'>;

/** See `Terminal.takeOver`. `withKeys` is false when stdin must not be read. */
export async function takeOver(runtime: TerminalRuntime, view: LiveHooks, withKeys: boolean): Promise<TakenTerminal> {
  // This must come first: it saves the terminal modes, and reading keys changes them.
  const keepTerminal = await restoreAfterKill(runtime, view.restore);
  const keys = withKeys ? readKeys(runtime, view.onKey) : undefined;
  const removeSuspendHooks = runtime.signals.onSuspend({
    suspend: () => {
      view.suspend();
      keys?.pause();
    },
    resume: () => {
      keys?.resume();
      view.resume();
    },
  });
  const { stdout } = runtime;
  stdout.on('resize', view.onResize);
  return {
    hasKeys: keys !== undefined,
    release: () => {
      stdout.off('resize', view.onResize);
      removeSuspendHooks();
      keys?.close();
      keepTerminal();
    },
  };
}
