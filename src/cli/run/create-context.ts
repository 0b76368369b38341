import type { ApiRequest } from '../../core/api.ts';
import type { Context } from '../../core/context.ts';
import { Failure } from '../../core/failure.ts';
import { safeText, type SafeText } from '../../core/safe-text.ts';
import type { OutputOptions } from '../../output/view.ts';
import { drawn } from '../../output/layout/drawn.ts';
import { openRows } from '../../output/formats/row-writer.ts';
import type { CommandContext, Progress } from '../context.ts';
import { createIdCache } from '../resource/id-cache.ts';
import { DryRun, dryRunApi } from './dry-run.ts';
import { createServiceClock } from './service-clock.ts';
import { recordOutputFailure, recordWrites, type Written } from './write-record.ts';

interface Modes {
  readonly output: OutputOptions;
  readonly dryRun: boolean;
  readonly yes: boolean;
}

/** A read that every service answers: for the time that the answer was sent. */
const ANY_READ: ApiRequest = { service: 'base', method: 'GET', path: ['v2', 'registries', 'delegations'] };

/** What is known of a run when it ends in the middle. */
export interface RunState {
  /** What the command says of going on. */
  goOn: string | undefined;
  readonly written: Written;
}

/** The Context with what the kit adds for one run; `state` follows the run. */
export function commandContext(context: Context, modes: Modes, state: RunState): CommandContext {
  const serviceClock = createServiceClock(context.clock);
  const api = modes.dryRun ? dryRunApi(context.api) : recordWrites(serviceClock.following(context.api), state.written);
  const stdout = recordOutputFailure(context.stdout, state.written);
  return {
    ...context,
    ...modes,
    // A dry run prints JSON: what it shows is a request, not a row.
    output: modes.dryRun && modes.output.format === undefined ? { ...modes.output, format: 'json' } : modes.output,
    api,
    stdout,
    ids: createIdCache(),
    serviceNow: serviceClock.time,
    fetchServiceNow: async () => {
      if (context.settings.local && !modes.dryRun && !serviceClock.isSet())
        await api.send(ANY_READ).catch((error: unknown) => {
          if (!(error instanceof Failure) || context.signal.aborted) throw error;
        });
      return serviceClock.time();
    },
    tell: (line) => tell(context, safeText(line)),
    progress: (text) => progress(context, text),
    rows: (view) => openRows(view, modes.output, { ...context, stdout, serviceNow: serviceClock.time }),
    previewAll: async (requests) => {
      throw new DryRun(await Promise.all(requests.map((request) => context.api.preview(request))));
    },
    setResumeCommand: (commandLine) => {
      state.goOn = commandLine;
    },
  };
}

async function tell({ terminal, stderr }: Context, line: SafeText): Promise<void> {
  const { errorColumns } = terminal;
  // On no terminal, a line is a line.
  const text =
    errorColumns === undefined ? line : (await import('../../output/layout/wrap-text.ts')).prose(line, errorColumns);
  await stderr.write(drawn`${text}\n`);
}

/** The spinner, loaded only where one can be seen; what is said before it is there is shown when it is. */
function progress(context: Context, first: string): Progress {
  if (!context.terminal.errors) return { update: () => undefined, stop: () => Promise.resolve() };
  let text = first;
  const loading = import('../../output/live/live.ts').then(({ openSpinner }) => openSpinner(context, text));
  return {
    update: (next) => {
      text = next;
      void loading.then((spinner) => {
        spinner.update(safeText(next));
      });
    },
    stop: async () => {
      (await loading).stop();
    },
  };
}
