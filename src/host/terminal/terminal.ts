import type { Terminal } from '../../core/context.ts';
import type { Output, World } from '../world.ts';

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
  world: Pick<World, 'env' | 'stdin' | 'stdout' | 'stderr' | 'signals'>,
  choices: TerminalChoices,
): Terminal {
  const { env } = world;
  const able = env['TERM'] !== 'dumb' && !isOn(env['CI']);
  const live = (stream: Output): boolean => able && stream.isTTY === true;
  const coloured = (stream: Output): boolean => {
    if (choices.noColour()) return false;
    const forced = env['FORCE_COLOR'];
    return forced === undefined || forced === '' ? live(stream) : isOn(forced);
  };
  return {
    get output() {
      return live(world.stdout);
    },
    get errors() {
      return live(world.stderr);
    },
    get canAsk() {
      return !choices.noInput() && live(world.stderr) && world.stdin.isTTY === true;
    },
    get columns() {
      return live(world.stdout) ? (positive(env['COLUMNS']) ?? positive(world.stdout.columns)) : undefined;
    },
    get errorColumns() {
      return live(world.stderr) ? (positive(env['COLUMNS']) ?? positive(world.stderr.columns)) : undefined;
    },
    get rows() {
      return live(world.stdout) ? positive(world.stdout.rows) : undefined;
    },
    colour: {
      get output() {
        return coloured(world.stdout);
      },
      get errors() {
        return coloured(world.stderr);
      },
    },
    onSuspend: (hooks) => world.signals.onSuspend(hooks),
  };
}

const isOn = (value: string | undefined): boolean =>
  value !== undefined && value !== '' && value !== '0' && value.toLowerCase() !== 'false';

function positive(value: string | number | undefined): number | undefined {
  const number = Number(value ?? 0);
  return Number.isInteger(number) && number > 0 ? number : undefined;
}
