import type { Interface } from 'node:readline';
import type { Key, LiveHooks, TakenTerminal } from '../../core/context.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { KeySignal } from '../runtime/signals.ts';

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

function keyOf(text: string | undefined, { name, ctrl, meta }: Pressed): Key | undefined {
  const named = name === 'return' ? 'enter' : (name ?? '');
  if (NAMES.includes(named)) return { name: named, text: undefined };
  if (text === undefined || ctrl === true || meta === true || !/^[^\p{Cc}\p{Cs}]+$/u.test(text)) return undefined;
  return { name: text, text };
}

/** Keys come without echo; `withKeys` is false when stdin must not be read. */
export function takeOver(
  { stdin, stdout, signals }: Pick<Runtime, 'stdin' | 'stdout' | 'signals'>,
  view: LiveHooks,
  withKeys: boolean,
): TakenTerminal {
  const setRaw = (raw: boolean): void => {
    try {
      if (withKeys) stdin.setRawMode?.(raw);
    } catch {
      // The terminal is gone.
    }
  };
  const onPress = (text: string | undefined, pressed: Pressed): void => {
    const signal = SIGNALS[pressed.sequence ?? ''];
    const key = keyOf(text, pressed);
    if (signal !== undefined) signals.raise(signal);
    else if (key !== undefined) view.onKey(key);
  };
  if (withKeys) {
    const { emitKeypressEvents } = process.getBuiltinModule('node:readline');
    emitKeypressEvents(stdin, { escapeCodeTimeout: ESCAPE_MS } as unknown as Interface);
    stdin.on('keypress', onPress);
    setRaw(true);
    stdin.resume();
  }
  const removeSuspendHooks = signals.onSuspend({
    suspend: () => {
      view.suspend();
      setRaw(false);
    },
    resume: () => {
      // Another program may have changed the modes; Node skips modes that it believes to be set.
      setRaw(false);
      setRaw(true);
      view.resume();
    },
  });
  stdout.on('resize', view.onResize);
  return {
    hasKeys: withKeys,
    release: () => {
      stdout.off('resize', view.onResize);
      removeSuspendHooks();
      setRaw(false);
      if (withKeys) stdin.off('keypress', onPress).pause();
    },
  };
}
