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

const NAMES = 'up down left right pageup pagedown home end escape backspace tab enter'.split(' ');

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
  const named = name === 'return' ? 'enter' : (name ?? '');
  if (NAMES.includes(named)) return { name: named, text: undefined };
  if (text === undefined || ctrl === true || meta === true || !/^[^\p{Cc}\p{Cs}]+$/u.test(text)) return undefined;
  return { name: text, text };
}

/** `withKeys` is false when stdin must not be read. */
export function takeOver(
  runtime: Pick<Runtime, 'stdin' | 'stdout' | 'signals'>,
  view: LiveHooks,
  withKeys: boolean,
): TakenTerminal {
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
    },
  };
}
