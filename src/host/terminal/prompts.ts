import { PassThrough, type Writable } from 'node:stream';
import type * as inquirer from '@inquirer/prompts';
import type { Choice, Prompts, Terminal } from '../../core/context.ts';
import { interrupted, usage } from '../../core/failure.ts';
import { errorCode } from '../../core/files.ts';
import { safeText } from '../../core/safe-text.ts';
import type { Input, Runtime } from '../runtime/runtime.ts';

type Kit = typeof inquirer;
type AskContext = NonNullable<Parameters<Kit['input']>[1]>;

const PAGE_SIZE = 12;

/** On stderr. Usage (2) without a terminal or at the end of input; interrupted (130; 143 if closed or SIGTERM). */
export function createPrompts(
  runtime: Pick<Runtime, 'stdin' | 'stderr'>,
  terminal: Pick<Terminal, 'canAsk'>,
  signal: AbortSignal,
): Prompts {
  const ask = async <T>(
    question: (kit: Kit, context: AskContext) => Promise<T>,
    instead = 'Give the value as a flag.',
  ): Promise<T> => {
    if (!terminal.canAsk) throw usage('there is no terminal for a question', instead);
    const { stdin, stderr } = runtime;
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
    onInputEnd(input, () => {
      ended.abort(usage('the input ended before the answer', instead));
    });
    try {
      return await question(kit, {
        input,
        output: stderr as Writable,
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
    select: <T>(message: string, choices: readonly Choice<T>[]) => {
      // Their texts may come from the service.
      const safe = choices.map(({ name, value, description = '' }) => ({
        name: safeText(name),
        value,
        description: safeText(description),
      }));
      const source = (term = '') =>
        safe.filter((each) => `${each.name} ${each.description}`.toLowerCase().includes(term.toLowerCase()));
      return ask((kit, context) => kit.search({ message, pageSize: PAGE_SIZE, source }, context));
    },
  };
}

/** The input of a closed terminal ends as after Ctrl-D. */
const isClosed = ({ fd }: Input): boolean => fd !== undefined && !process.getBuiltinModule('node:tty').isatty(fd);

const CONFIRMS = 'Nothing was confirmed. --yes answers it with yes.';

/** Ctrl-D closes the line reader but not the prompt, which would wait forever. Paused input shows it. */
function onInputEnd(input: Input, onEnd: () => void): void {
  input.once('end', onEnd);
  input.on(
    'keypress',
    (_text: string | undefined, { ctrl, name }: { readonly ctrl?: boolean; readonly name?: string }) => {
      // The line reader handles the key after this listener.
      if (ctrl === true && name === 'd')
        queueMicrotask(() => {
          if (input.isPaused()) onEnd();
        });
    },
  );
}
