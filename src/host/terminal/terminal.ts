import type { Terminal } from '../../core/context.ts';
import type { Output, Runtime } from '../runtime.ts';

/** The two settings that the terminal's facts depend on. */
export interface TerminalChoices {
  readonly noInput: () => boolean;
  readonly noColour: () => boolean;
}

/**
 * What is known of the terminal. Each fact is looked up when it is asked for: to look is to open the stream. A dumb
 * terminal (TERM=dumb) and a build server (CI) can neither redraw nor answer, so they count as none; colour there is
 * only where FORCE_COLOR asks for it. `--no-color` and NO_COLOR come before FORCE_COLOR.
 */
export function describeTerminal(
  runtime: Pick<Runtime, 'env' | 'stdin' | 'stdout' | 'stderr' | 'signals'>,
  choices: TerminalChoices,
): Terminal {
  const { env } = runtime;
  const able = env['TERM'] !== 'dumb' && !isOn(env['CI']);
  const live = (stream: Output): boolean => able && stream.isTTY === true;
  const coloured = (stream: Output): boolean => {
    if (choices.noColour()) return false;
    const forced = env['FORCE_COLOR'];
    return forced === undefined || forced === '' ? live(stream) : isOn(forced);
  };
  return {
    get output() {
      return live(runtime.stdout);
    },
    get errors() {
      return live(runtime.stderr);
    },
    get canAsk() {
      return !choices.noInput() && live(runtime.stderr) && runtime.stdin.isTTY === true;
    },
    get columns() {
      return live(runtime.stdout) ? (positive(env['COLUMNS']) ?? positive(runtime.stdout.columns)) : undefined;
    },
    get errorColumns() {
      return live(runtime.stderr) ? (positive(env['COLUMNS']) ?? positive(runtime.stderr.columns)) : undefined;
    },
    get rows() {
      return live(runtime.stdout) ? positive(runtime.stdout.rows) : undefined;
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
  };
}

const isOn = (value: string | undefined): boolean =>
  value !== undefined && value !== '' && value !== '0' && value.toLowerCase() !== 'false';

function positive(value: string | number | undefined): number | undefined {
  const number = Number(value ?? 0);
  return Number.isInteger(number) && number > 0 ? number : undefined;
}
