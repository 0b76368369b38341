import { PassThrough } from 'node:stream';
import type * as inquirer from '@inquirer/prompts';
import type { Choice, Prompts, SuspendHooks, Terminal } from '../../core/context.ts';
import { interrupted, usage } from '../../core/failure.ts';
import { errorCode } from '../../core/files.ts';
import { safeText } from '../../core/safe-text.ts';
import type { Input, Runtime } from '../runtime/runtime.ts';

/** By name or description, in any case. */
function matchingChoices<T>(choices: readonly Choice<T>[], term: string): readonly Choice<T>[] {
  const search = term.toLowerCase();
  return choices.filter((choice) => `${choice.name} ${choice.description ?? ''}`.toLowerCase().includes(search));
}

/** On stderr, because stdout is for data. */
type PromptStreams = Pick<Runtime, 'stdin' | 'stderr'>;

type PromptTerminal = Pick<Terminal, 'canAsk' | 'onSuspend'>;

type Kit = typeof inquirer;
type AskContext = NonNullable<Parameters<Kit['input']>[1]>;

const PAGE_SIZE = 12;

/** Usage (2) without a terminal or at the end of input; interrupted (130; 143 if closed or SIGTERM). */
export function createPrompts(
  streams: () => PromptStreams,
  terminal: PromptTerminal,
  signal: AbortSignal,
  before: () => Promise<void> = () => Promise.resolve(),
): Prompts {
  const ask = async <T>(
    question: (kit: Kit, context: AskContext) => Promise<T>,
    instead = 'Give the value as a flag.',
  ): Promise<T> => {
    if (!terminal.canAsk) throw usage('there is no terminal for a question', instead);
    await before();
    const { stdin, stderr } = streams();
    const kit = await import('@inquirer/prompts');
    const ended = new AbortController();
    // A closed terminal cannot be read, and its modes cannot be set.
    const onGone = (): void => {
      ended.abort(interrupted('SIGHUP'));
    };
    stdin.on('error', onGone);
    // The line reader would set the modes of a closed terminal where nobody can catch its error.
    const input = Object.assign(stdin.pipe(new PassThrough()), {
      setRawMode: (raw: boolean) => (isClosed(stdin) ? undefined : stdin.setRawMode?.(raw)),
    });
    const removeEndListeners = onInputEnd(input, () => {
      ended.abort(usage('the input ended before the answer', instead));
    });
    const removeSuspendHooks = terminal.onSuspend(suspendHooks({ stdin, stderr }));
    try {
      return await question(kit, {
        input,
        output: stderr,
        signal: AbortSignal.any([signal, ended.signal]),
      });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      // Its signal may come later.
      if (errorCode(error) === 'EIO' || isClosed(stdin)) throw interrupted('SIGHUP');
      if (ended.signal.aborted) throw ended.signal.reason;
      if (error instanceof Error && error.name === 'ExitPromptError') throw interrupted('SIGINT');
      throw error;
    } finally {
      removeEndListeners();
      removeSuspendHooks();
      stdin.unpipe(input).pause();
      stdin.off('error', onGone);
    }
  };
  return {
    text: (message, { initial, check, instead } = {}) => {
      const validate = (value: string): string | true => check?.(value) ?? true;
      const question = { message, validate, ...(initial === undefined ? {} : { default: initial }) };
      return ask((kit, context) => kit.input(question, context), instead);
    },
    secret: (message) =>
      ask((kit, context) =>
        kit.password(
          { message, mask: '*', validate: (value) => (value.trim() === '' ? 'Nothing was entered' : true) },
          context,
        ),
      ),
    confirm: (message) => ask((kit, context) => kit.confirm({ message, default: false }, context), CONFIRMS),
    select: (message, choices) => {
      const safe = choices.map(safeChoice);
      return ask((kit, context) =>
        kit.search({ message, pageSize: PAGE_SIZE, source: (term) => matchingChoices(safe, term ?? '') }, context),
      );
    },
  };
}

/** The input of a closed terminal ends as after Ctrl-D. */
const isClosed = ({ fd }: Input): boolean => fd !== undefined && !process.getBuiltinModule('node:tty').isatty(fd);

const CONFIRMS = 'Nothing was confirmed. --yes answers it with yes.';

const SHOW_CURSOR = '\u001b[?25h';

/** A prompt may hide the cursor and sets raw mode. The next key redraws it. */
function suspendHooks({ stdin, stderr }: PromptStreams): SuspendHooks {
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

/** Its text may come from the service. */
const safeChoice = <T>({ name, value, description }: Choice<T>): Choice<T> => ({
  name: safeText(name),
  value,
  ...(description === undefined ? {} : { description: safeText(description) }),
});

/** Ctrl-D closes the line reader but not the prompt, which would wait forever. Paused input shows it. */
function onInputEnd(input: Input, onEnd: () => void): () => void {
  const onKey = (_text: string | undefined, pressed: { readonly ctrl?: boolean; readonly name?: string }): void => {
    // The line reader handles the key after this listener.
    if (pressed.ctrl === true && pressed.name === 'd')
      queueMicrotask(() => {
        if (input.isPaused()) onEnd();
      });
  };
  input.on('keypress', onKey);
  input.once('end', onEnd);
  return () => {
    input.off('keypress', onKey);
    input.off('end', onEnd);
  };
}
