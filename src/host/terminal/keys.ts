import type { Interface } from 'node:readline';
import type { Key } from '../../core/context.ts';
import type { KeySignal } from '../runtime/signals.ts';
import type { Runtime } from '../runtime/runtime.ts';

/** Keys that are read from a terminal in raw mode. */
export interface KeyReader {
  /** Leaves raw mode, for the time that the process is stopped. */
  pause(): void;
  resume(): void;
  close(): void;
}

/** What Node tells of a key. */
interface Pressed {
  readonly name?: string | undefined;
  readonly sequence?: string | undefined;
  readonly ctrl?: boolean;
  readonly meta?: boolean;
}

/** In raw mode the terminal sends no signals for these characters: they are keys like any other. */
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

/** After Escape, so many milliseconds are waited for the rest of a key that begins with Escape. */
const ESCAPE_MS = 50;

/** Reads keys from a terminal, which shows none of them. A signal character raises its signal. */
export function readKeys({ stdin, signals }: Pick<Runtime, 'stdin' | 'signals'>, onKey: (key: Key) => void): KeyReader {
  const { emitKeypressEvents } = process.getBuiltinModule('node:readline');
  // The function reads only this member of an interface.
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
      // Another program may have changed the modes, and Node sets none that it believes to be set.
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
