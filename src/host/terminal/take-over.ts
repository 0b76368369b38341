import type { Interface } from 'node:readline';
import type { Key, LiveHooks, TakenTerminal } from '../../core/context.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { KeySignal } from '../runtime/signals.ts';

interface KeyReader {
  /** While the process is stopped. */
  pause(): void;
  resume(): void;
  close(): void;
}

interface Pressed {
  readonly name?: string | undefined;
  readonly sequence?: string | undefined;
  readonly ctrl?: boolean;
  readonly meta?: boolean;
}

/** In raw mode the terminal sends no signals for these characters. */
const SIGNALS: Readonly<Record<string, KeySignal>> = { '\u0003': 'SIGINT', '\u001a': 'SIGTSTP', '\u001c': 'SIGQUIT' };

const NAMES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['up', 'down', 'left', 'right', 'pageup', 'pagedown', 'home', 'end', 'escape', 'backspace', 'tab'].map((name) => [
      name,
      name,
    ]),
  ),
  return: 'enter',
  enter: 'enter',
};

/** Milliseconds to wait after Escape for the rest of a key that begins with Escape. */
const ESCAPE_MS = 50;

/** Without echo. A signal character raises its signal. */
function readKeys({ stdin, signals }: Pick<Runtime, 'stdin' | 'signals'>, onKey: (key: Key) => void): KeyReader {
  const { emitKeypressEvents } = process.getBuiltinModule('node:readline');
  emitKeypressEvents(stdin, { escapeCodeTimeout: ESCAPE_MS } as unknown as Interface);
  const setRaw = (raw: boolean): void => {
    try {
      stdin.setRawMode?.(raw);
    } catch {
      // The terminal is gone.
    }
  };
  const onPress = (text: string | undefined, pressed: Pressed): void => {
    const signal = SIGNALS[pressed.sequence ?? ''];
    if (signal !== undefined) {
      signals.raise(signal);
      return;
    }
    const key = keyOf(text, pressed);
    if (key !== undefined) onKey(key);
  };
  stdin.on('keypress', onPress);
  setRaw(true);
  stdin.resume();
  return {
    pause: () => {
      setRaw(false);
    },
    resume: () => {
      // Another program may have changed the modes; Node skips modes that it believes to be set.
      setRaw(false);
      setRaw(true);
    },
    close: () => {
      stdin.off('keypress', onPress);
      setRaw(false);
      stdin.pause();
    },
  };
}

function keyOf(text: string | undefined, { name, ctrl, meta }: Pressed): Key | undefined {
  const named = name !== undefined && Object.hasOwn(NAMES, name) ? NAMES[name] : undefined;
  if (named !== undefined) return { name: named, text: undefined };
  if (text === undefined || ctrl === true || meta === true || !/^[^\p{Cc}\p{Cs}]+$/u.test(text)) return undefined;
  return { name: text, text };
}

/** stdin is a pipe from berth, descriptor 3 the terminal. EOF without a line: berth was killed. */
const SCRIPT = `
trap '' HUP INT TERM QUIT TSTP TTOU
modes=$(stty -g <&3)
echo ready
read -r word && exit
[ "$modes" ] && stty "$modes" <&3
printf %s "$1" >&3
`;

/** After SIGKILL its shell restores the terminal and writes `text`. In its own session; may not start. */
async function restoreAfterKill(
  { env, platform, childStreams }: Pick<Runtime, 'env' | 'platform' | 'childStreams'>,
  text: string,
): Promise<() => void> {
  if (platform === 'win32' || childStreams === 'ignore') return () => undefined;
  const { spawn } = await import('node:child_process');
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'berth-terminal', text], {
    stdio: ['pipe', 'pipe', 'ignore', 1],
    cwd: '/',
    env: { PATH: env['PATH'] },
    detached: true,
  });
  shell.stdin?.on('error', () => undefined);
  await new Promise<void>((resolve) => {
    shell.once('error', () => {
      resolve();
    });
    shell.stdout?.once('data', resolve).once('end', resolve);
  });
  shell.stdout?.destroy();
  shell.unref();
  return () => {
    shell.stdin?.end('over\n');
  };
}

type TerminalRuntime = Pick<Runtime, 'env' | 'stdin' | 'stdout' | 'signals' | 'platform' | 'childStreams'>;

/** `withKeys` is false when stdin must not be read. */
export async function takeOver(runtime: TerminalRuntime, view: LiveHooks, withKeys: boolean): Promise<TakenTerminal> {
  // Must be first: it saves the terminal modes, and reading keys changes them.
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
