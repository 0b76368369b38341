import type { Terminal } from '../../core/context.ts';
import type { Output, Runtime } from '../runtime/runtime.ts';

/** The two settings that affect the terminal. */
export interface TerminalChoices {
  readonly noInput: () => boolean;
  readonly noColour: () => boolean;
}

/**
 * Describes the terminal. Each property is computed when it is read, because that opens the stream. A dumb terminal
 * (TERM=dumb, or none), as the shell of an editor is one, has a person before it and prints lines only: nothing is redrawn there. What a
 * build server (CI) shows counts as no terminal. Both get colour only with FORCE_COLOR. `--no-color` and NO_COLOR override
 * FORCE_COLOR.
 */
export function describeTerminal(
  runtime: Pick<
    Runtime,
    'env' | 'stdin' | 'stdout' | 'stdoutClosed' | 'stderr' | 'signals' | 'platform' | 'childStreams'
  >,
  choices: TerminalChoices,
): Terminal {
  const { env } = runtime;
  const attended = !isOn(env['CI']);
  const isTerminal = (stream: Output): boolean => attended && stream.isTTY === true;
  const coloured = (stream: Output): boolean => {
    if (choices.noColour()) return false;
    const forced = env['FORCE_COLOR'];
    return forced === undefined || forced === '' ? isTerminal(stream) && !isDumb(runtime) : isOn(forced);
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
    redraws: !isDumb(runtime),
    get canAsk() {
      return attended && !choices.noInput() && runtime.stderr.isTTY === true && runtime.stdin.isTTY === true;
    },
    get columns() {
      return isTerminal(runtime.stdout) ? (positive(env['COLUMNS']) ?? positive(runtime.stdout.columns)) : undefined;
    },
    get errorColumns() {
      return isTerminal(runtime.stderr) ? (positive(env['COLUMNS']) ?? positive(runtime.stderr.columns)) : undefined;
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
      return await takeOver(runtime, view, !choices.noInput() && runtime.stdin.isTTY === true);
    },
  };
}

/** Whether the terminal says that it can only print lines, or does not say what it can. On Windows none says. */
const isDumb = ({ env, platform }: Pick<Runtime, 'env' | 'platform'>): boolean =>
  env['TERM'] === 'dumb' || (platform !== 'win32' && (env['TERM'] ?? '') === '');

const isOn = (value: string | undefined): boolean =>
  value !== undefined && value !== '' && value !== '0' && value.toLowerCase() !== 'false';

function positive(value: string | number | undefined): number | undefined {
  const number = Number(value ?? 0);
  return Number.isInteger(number) && number > 0 ? number : undefined;
}
