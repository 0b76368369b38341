import type * as inquirer from '@inquirer/prompts';
import type { Choice, Prompts, SuspendHooks, Terminal } from '../../core/context.ts';
import { interrupted, usage } from '../../core/failure.ts';
import { safeText } from '../../core/safe-text.ts';
import type { Input, Output } from '../world.ts';

export interface Asker {
  readonly stdin: Input;
  /** Questions go here: stdout is for data. */
  readonly stderr: Output;
}

/** Choices beyond this many are searched, not scrolled. */
const LONG_LIST = 12;

/**
 * Questions on a terminal. Each fails with usage (2) where nobody can be asked or the input ends before the answer,
 * and with interrupted (130, or 143 for a polite kill).
 */
export function createPrompts(
  asker: () => Asker,
  terminal: Pick<Terminal, 'canAsk' | 'onSuspend'>,
  signal: AbortSignal,
): Prompts {
  const ask = async <T>(question: (kit: Kit, context: AskContext) => Promise<T>): Promise<T> => {
    if (!terminal.canAsk) throw usage('there is no terminal to ask on', 'Give the value as a flag.');
    const kit = await import('@inquirer/prompts');
    const { stdin, stderr } = asker();
    const ended = new AbortController();
    const stopWatching = watchForEnd(stdin, () => {
      ended.abort();
    });
    const stopHooks = terminal.onSuspend(hooksOf({ stdin, stderr }));
    try {
      return await question(kit, { input: stdin, output: stderr, signal: AbortSignal.any([signal, ended.signal]) });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (ended.signal.aborted) throw usage('the input ended before the answer', 'Give the value as a flag.');
      if (error instanceof Error && error.name === 'ExitPromptError') throw interrupted('SIGINT');
      throw error;
    } finally {
      stopWatching();
      stopHooks();
    }
  };
  return {
    text: (message, { initial, check } = {}) =>
      ask((kit, context) =>
        kit.input(
          {
            message,
            ...(initial === undefined ? {} : { default: initial }),
            validate: (value) => check?.(value) ?? true,
          },
          context,
        ),
      ),
    secret: (message) =>
      ask((kit, context) =>
        kit.password(
          { message, mask: '*', validate: (value) => (value.trim() === '' ? 'Nothing was entered' : true) },
          context,
        ),
      ),
    confirm: (message, initial = false) => ask((kit, context) => kit.confirm({ message, default: initial }, context)),
    select: (message, choices) => {
      const safe = choices.map(harmless);
      return ask((kit, context) =>
        safe.length > LONG_LIST
          ? kit.search({ message, pageSize: LONG_LIST, source: (term) => matching(safe, term ?? '') }, context)
          : kit.select({ message, choices: safe, pageSize: LONG_LIST, loop: false }, context),
      );
    },
  };
}

const SHOW_CURSOR = '\u001b[?25h';

/** A question may hide the cursor and takes keys one by one; the next key draws it anew. */
function hooksOf({ stdin, stderr }: Asker): SuspendHooks {
  let raw = false;
  return {
    suspend: () => {
      raw = stdin.isRaw === true;
      if (raw) stdin.setRawMode?.(false);
      stderr.write(SHOW_CURSOR);
    },
    resume: () => {
      if (raw) stdin.setRawMode?.(true);
    },
  };
}

type Kit = typeof inquirer;

interface AskContext {
  readonly input: Input;
  readonly output: Output;
  readonly signal: AbortSignal;
}

/** What there is to choose from may be the service's words. */
const harmless = <T>({ name, value, description }: Choice<T>): Choice<T> => ({
  name: safeText(name),
  value,
  ...(description === undefined ? {} : { description: safeText(description) }),
});

function matching<T>(choices: readonly Choice<T>[], term: string): readonly Choice<T>[] {
  const wanted = term.toLowerCase();
  return choices.filter((choice) => `${choice.name} ${choice.description ?? ''}`.toLowerCase().includes(wanted));
}

/**
 * Ctrl-D, or the end of the input, closes the line reader under a question without the question hearing of it: it
 * would wait for ever. A closed reader is known by its having paused the input.
 */
function watchForEnd(stdin: Input, ended: () => void): () => void {
  const key = (_text: string | undefined, pressed: { readonly ctrl?: boolean; readonly name?: string }): void => {
    // The reader hears of the key after this does.
    if (pressed.ctrl === true && pressed.name === 'd')
      queueMicrotask(() => {
        if (stdin.isPaused()) ended();
      });
  };
  stdin.on('keypress', key);
  stdin.once('end', ended);
  return () => {
    stdin.off('keypress', key);
    stdin.off('end', ended);
  };
}
