import type { Choice, Prompts, SuspendHooks, Terminal } from '../../core/context.ts';
import { errorCode } from '../../core/files/file-errors.ts';
import { interrupted, usage } from '../../core/failure.ts';
import { safeText } from '../../core/safe-text.ts';
import type { Input, Runtime } from '../runtime/runtime.ts';
import { InputEnded, plainQuestions } from './plain-questions.ts';
import { matchingChoices, type AskContext, type Questions } from './questions.ts';
import { isDumb } from './terminal.ts';

/** Where a prompt is shown. Questions are printed on stderr, because stdout is for data. */
type PromptStreams = Pick<Runtime, 'stdin' | 'stderr' | 'env'>;

/** The number of choices that are shown at once; a longer list can be searched. */
const PAGE_SIZE = 12;

/**
 * Creates prompts on a terminal: plain lines on a dumb one (TERM=dumb), else menus and fields that redraw. Each fails with usage (2) when there is no terminal or the input ends before the answer,
 * and with interrupted (130, or 143 for SIGTERM).
 */
export function createPrompts(
  streams: () => PromptStreams,
  terminal: Pick<Terminal, 'canAsk' | 'onSuspend'>,
  signal: AbortSignal,
): Prompts {
  const ask = async <T>(
    question: (kit: Questions, context: AskContext) => Promise<T>,
    instead = 'Give the value as a flag.',
  ): Promise<T> => {
    if (!terminal.canAsk) throw usage('there is no terminal for a question', instead);
    const { stdin, stderr, env } = streams();
    const kit: Questions = isDumb(env) ? plainQuestions : await import('@inquirer/prompts');
    const inputEnd = new AbortController();
    const removeEndListeners = onInputEnd(stdin, () => {
      inputEnd.abort();
    });
    const removeSuspendHooks = terminal.onSuspend(suspendHooks({ stdin, stderr, env }));
    try {
      return await question(kit, { input: stdin, output: stderr, signal: AbortSignal.any([signal, inputEnd.signal]) });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (inputEnd.signal.aborted || error instanceof InputEnded)
        throw usage('the input ended before the answer', instead);
      if (error instanceof Error && error.name === 'ExitPromptError') throw interrupted('SIGINT');
      // The terminal was closed; its signal may come later.
      if (errorCode(error) === 'EIO') throw interrupted('SIGHUP');
      throw error;
    } finally {
      removeEndListeners();
      removeSuspendHooks();
    }
  };
  const search: Prompts['search'] = (message, choices) => {
    const safe = choices.map(safeChoice);
    return ask((kit, context) =>
      kit.search({ message, pageSize: PAGE_SIZE, source: (term) => matchingChoices(safe, term ?? '') }, context),
    );
  };
  return {
    text: (message, { initial, check, clearsWrong = false, instead } = {}) =>
      ask(
        (kit, context) =>
          kit.input(
            {
              message,
              ...(initial === undefined ? {} : { default: initial }),
              validate: (value) => check?.(value) ?? true,
              ...(clearsWrong ? { theme: CLEARED } : {}),
            },
            context,
          ),
        instead,
      ),
    secret: (message) =>
      ask((kit, context) =>
        kit.password(
          { message, mask: '*', validate: (value) => (value.trim() === '' ? 'Nothing was entered' : true) },
          context,
        ),
      ),
    confirm: async (message, initial = false) => {
      const question = {
        message: `${message} (${initial ? 'Y/n' : 'y/N'})`,
        validate: (line: string) => yesOrNo(line, initial) !== undefined || 'Answer y or n',
        theme: CLEARED,
      };
      return yesOrNo(await ask((kit, context) => kit.input(question, context), CONFIRMS), initial) ?? false;
    },
    select: (message, choices) =>
      choices.length > PAGE_SIZE
        ? search(message, choices)
        : ask((kit, context) =>
            kit.select({ message, choices: choices.map(safeChoice), pageSize: PAGE_SIZE, loop: false }, context),
          ),
    search,
  };
}

/** What takes the place of an answer to yes or no. */
const CONFIRMS = 'Nothing was confirmed. --yes answers it with yes.';

/** A wrong answer does not stay in the line. */
const CLEARED = { validationFailureMode: 'clear' } as const;

/** `y`, `yes`, `n` or `no`, in any case; an empty line is `initial`. Undefined for any other answer. */
function yesOrNo(line: string, initial: boolean): boolean | undefined {
  const answer = line.trim().toLowerCase();
  if (answer === '') return initial;
  if ('yes'.startsWith(answer)) return true;
  return 'no'.startsWith(answer) ? false : undefined;
}

const SHOW_CURSOR = '\u001b[?25h';

/** A prompt may hide the cursor and sets raw mode. It is redrawn with the next key. */
function suspendHooks({ stdin, stderr, env }: PromptStreams): SuspendHooks {
  let raw = false;
  return {
    suspend: () => {
      raw = stdin.isRaw === true;
      if (raw) stdin.setRawMode?.(false);
      if (!isDumb(env)) stderr.write(SHOW_CURSOR);
    },
    resume: () => {
      if (raw) stdin.setRawMode?.(true);
    },
  };
}

/** Makes the text of a choice safe, because it may come from the service. */
const safeChoice = <T>({ name, value, description }: Choice<T>): Choice<T> => ({
  name: safeText(name),
  value,
  ...(description === undefined ? {} : { description: safeText(description) }),
});

/**
 * Calls `onEnd` when the user presses Ctrl-D or the input ends. Both close the line reader of a prompt without ending the
 * prompt, which would wait forever. A closed reader is recognized by its paused input.
 */
function onInputEnd(stdin: Input, onEnd: () => void): () => void {
  const onKey = (_text: string | undefined, pressed: { readonly ctrl?: boolean; readonly name?: string }): void => {
    // The line reader handles the key after this listener.
    if (pressed.ctrl === true && pressed.name === 'd')
      queueMicrotask(() => {
        if (stdin.isPaused()) onEnd();
      });
  };
  stdin.on('keypress', onKey);
  stdin.once('end', onEnd);
  return () => {
    stdin.off('keypress', onKey);
    stdin.off('end', onEnd);
  };
}
