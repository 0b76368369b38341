import type { SuspendHooks } from '../../core/context.ts';

/** Handles Ctrl-Z: calls the hooks, then the default action. Returns the function that adds hooks. */
export function suspendHandlers(): (hooks: SuspendHooks) => () => void {
  const hooksAdded = new Set<SuspendHooks>();
  let stopped = false;
  const stop = (): void => {
    stopped = true;
    for (const { suspend } of hooksAdded) suspend();
    // Without a listener the system suspends the process, except in an orphaned process group.
    process.off('SIGTSTP', stop);
    process.kill(process.pid, 'SIGTSTP');
  };
  const onContinue = (): void => {
    if (stopped) process.on('SIGTSTP', stop);
    stopped = false;
    for (const { resume } of hooksAdded) resume();
  };
  const listen = (change: 'on' | 'off'): void => {
    process[change]('SIGTSTP', stop);
    process[change]('SIGCONT', onContinue);
  };
  return (hooks) => {
    if (process.platform === 'win32') return () => undefined;
    if (hooksAdded.size === 0) listen('on');
    hooksAdded.add(hooks);
    return () => {
      if (hooksAdded.delete(hooks) && hooksAdded.size === 0) listen('off');
    };
  };
}
