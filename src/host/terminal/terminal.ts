import { closeSync, fstatSync } from 'node:fs';
import type { SettingsView, Terminal } from '../../core/context.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { closedPipe, Failure, interrupted } from '../../core/failure.ts';
import { errorReason } from '../../core/files.ts';
import { safeText } from '../../core/safe-text.ts';
import { isNull, type Output, type Runtime } from '../runtime/runtime.ts';

/** Lazy. TERM=dumb prints lines only; CI is not a terminal; colour there needs FORCE_COLOR. */
export function describeTerminal(
  runtime: Pick<Runtime, 'env' | 'stdin' | 'stdout' | 'stdoutClosed' | 'stderr' | 'signals' | 'platform'>,
  settings: Pick<SettingsView, 'get'>,
): Terminal {
  const { env, platform } = runtime;
  const attended = !isOn(env['CI']);
  const { TERM: term = '' } = env;
  // Windows never sets it.
  const redraws = term !== 'dumb' && (term !== '' || platform === 'win32');
  const isTerminal = (stream: Output): boolean => attended && stream.isTTY === true;
  const columnsOf = (stream: Output): number | undefined =>
    isTerminal(stream) ? (positive(env['COLUMNS']) ?? positive(stream.columns)) : undefined;
  const coloured = (stream: Output): boolean => {
    if (settings.get('no-color')) return false;
    const forced = env['FORCE_COLOR'];
    return forced === undefined || forced === '' ? isTerminal(stream) && redraws : isOn(forced);
  };
  return {
    get output() {
      return isTerminal(runtime.stdout);
    },
    get outputClosed() {
      return runtime.stdoutClosed;
    },
    get errors() {
      return isTerminal(runtime.stderr);
    },
    redraws,
    get canAsk() {
      return !settings.get('no-input') && redraws && isTerminal(runtime.stderr) && runtime.stdin.isTTY === true;
    },
    get columns() {
      return columnsOf(runtime.stdout);
    },
    get errorColumns() {
      return columnsOf(runtime.stderr);
    },
    get rows() {
      return isTerminal(runtime.stdout) ? positive(runtime.stdout.rows) : undefined;
    },
    colour: {
      get output() {
        return coloured(runtime.stdout);
      },
      get errors() {
        return coloured(runtime.stderr);
      },
    },
    onSuspend: (hooks) => runtime.signals.onSuspend(hooks),
    takeOver: async (view) => {
      const { takeOver } = await import('./take-over.ts');
      return takeOver(runtime, view, !settings.get('no-input') && runtime.stdin.isTTY === true);
    },
  };
}

const isOn = (value: string | undefined): boolean =>
  value !== undefined && value !== '' && value !== '0' && value.toLowerCase() !== 'false';

function positive(value: string | number | undefined): number | undefined {
  const number = Number(value ?? 0);
  return Number.isInteger(number) && number > 0 ? number : undefined;
}

/** Opens the stream with the first text. */
export function openOutput<N extends 'stdout' | 'stderr'>(runtime: Pick<Runtime, N>, name: N) {
  let opened: Output | undefined;
  let broken: WriteError | undefined;
  const decoder = new TextDecoder();
  const onError = (error?: WriteError | null): void => {
    broken ??= error ?? undefined;
  };
  /** Resolves when the system took it all, with the error after which nothing more is written. */
  const send = async (data: string | Uint8Array): Promise<WriteError | undefined> => {
    if (broken === undefined && data.length > 0) {
      // The event comes in addition to the write's callback; without a listener it ends the process.
      const output = (opened ??= runtime[name].on('error', onError));
      onError(await new Promise<WriteError | null | undefined>((resolve) => output.write(data, resolve)));
    }
    return broken;
  };
  /** closedPipe (0), terminated (143), else output (14). */
  const write = async (data: string | Uint8Array): Promise<void> => {
    const error = await send(data);
    if (error !== undefined) throw outputFailure(error, runtime[name].isTTY === true);
  };
  return {
    write,
    /** Errors are ignored: the command continues without its messages. */
    tell: async (text: string): Promise<void> => {
      await send(text);
    },
    /** On a terminal, escaped text. */
    writeContent: (bytes: Uint8Array): Promise<void> =>
      write(runtime[name].isTTY === true ? safeText(decoder.decode(bytes, { stream: true }), true) : bytes),
  };
}

type WriteError = NodeJS.ErrnoException;

/** Error codes by platform when the reader has closed the pipe. */
const CLOSED_PIPE = ['EPIPE', 'EOF', 'ECONNRESET', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_PREMATURE_CLOSE'];

function outputFailure(error: WriteError, isTerminal: boolean): Failure {
  if (CLOSED_PIPE.includes(error.code ?? '')) return closedPipe();
  // The terminal was closed; its signal may come later.
  if (error.code === 'EIO' && isTerminal) return interrupted('SIGHUP');
  const message = `cannot write the output: ${errorReason(error)}`;
  const hint = 'What came before it is incomplete.';
  return new Failure({ code: 'output', exit: EXIT.localFile, message, hint }, error);
}

/** At exit Node resets the terminal, and aborts with a core file when a closed one does not answer. */
export function closeStreamsOfClosedTerminal(): void {
  for (const descriptor of [0, 1, 2]) {
    try {
      const stats = fstatSync(descriptor);
      // Loading the module takes time: not for the null device, the most frequent one.
      if (!stats.isCharacterDevice() || isNull(stats)) continue;
      if (!process.getBuiltinModule('node:tty').isatty(descriptor)) closeSync(descriptor);
    } catch {
      // It is closed already.
    }
  }
}
