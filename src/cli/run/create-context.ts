import { type CommandContext, IdCache, type Progress } from '../model/context.ts';
import { dryRunOutput } from './dry-run.ts';
import { commandApi, record, recordingFiles, recordingVolume, type RunState } from './transports.ts';
import { isOnThisMachine } from '../../core/addresses.ts';
import { readRequest } from '../../core/api.ts';
import type { Context } from '../../core/context.ts';
import { unlessFailed } from '../../core/failure.ts';
import type { Json } from '../../core/json.ts';
import { type Message, printed } from '../../core/message.ts';
import { safeText } from '../../core/safe-text.ts';
import type { EpochMs } from '../../core/unit-types.ts';
import { openRows } from '../../output/render.ts';
import { DEFAULT_COLUMNS, styled } from '../../output/text/terminal-text.ts';
import type { View } from '../../output/view.ts';

/** Silent at first, then the interval between lines. */
const FIRST_AFTER_MS = 10_000;
const EVERY_MS = 30_000;

/** `state` is updated while the command runs. */
export function createCommandContext(
  context: Context,
  modes: Pick<CommandContext, 'output' | 'dryRun' | 'yes'>,
  state: RunState,
): CommandContext {
  const { clock } = context;
  const tellLine = (line: Message): Promise<void> => tell(context, line);
  // This machine's clock may be wrong, and the local service's clock may have been advanced.
  const serviceNow = (): EpochMs => {
    const { answered } = state;
    // oxlint-disable-next-line berth/no-wall-clock -- a date
    return answered === undefined ? clock.now() : answered.date + clock.monotonic() - answered.at;
  };
  const api = commandApi(context, { dryRun: modes.dryRun, state, tell: tellLine });
  return {
    ...context,
    ...modes,
    output: modes.dryRun ? dryRunOutput(context.terminal, modes.output) : modes.output,
    api,
    volumeFiles: async (place) => {
      const files = await context.volumeFiles(place);
      return modes.dryRun ? recordingVolume(files) : files;
    },
    ...(modes.dryRun ? { rawOutput: { write: record } } : {}),
    durable: async () => (modes.dryRun ? recordingFiles(await context.durable()) : await context.durable()),
    ids: new IdCache(),
    serviceNow,
    fetchServiceNow: async ({ overHttp = false } = {}) => {
      const asks = context.settings.local || (overHttp && isOnThisMachine(context.settings.get('base-url')));
      // Every service answers it; it is sent for its `Date`.
      const anyRead = () => api.send(readRequest(['v2', 'registries', 'delegations']));
      if (asks && state.answered === undefined) await unlessFailed(context, anyRead);
      return serviceNow();
    },
    tell: tellLine,
    tellRows: (view, rows) => tellRows(context, view, rows, serviceNow()),
    progress: (text) => progress(context, text),
    rows: (view) => openRows(view, modes.output, { ...context, serviceNow }),
    setResumeCommand: (commandLine) => {
      state.resumeCommand = commandLine;
    },
  };
}

async function tell({ terminal, stderr, settings }: Context, message: Message): Promise<void> {
  const { errorColumns } = terminal;
  // Text is one line: a line feed in a name of the service forges none.
  const line = typeof message === 'string' ? safeText(message) : message;
  const text =
    errorColumns === undefined
      ? safeText(printed(line, settings), true)
      : (await import('../../output/text/wrap-message.ts')).wrapMessage(line, settings, errorColumns);
  await stderr.write(styled`${text}\n`);
}

async function tellRows(context: Context, view: View, rows: readonly Json[], now: number): Promise<void> {
  const { loadPaint } = await import('../../output/text/colour.ts');
  const { terminal, stderr } = context;
  const paint = await loadPaint(terminal.colour.errors);
  const width = terminal.errorColumns ?? DEFAULT_COLUMNS;
  const facts = { now };
  const table = terminal.errors
    ? await (
        await import('../../output/tables/terminal-table.ts')
      ).terminalTable(view.columns, rows, { facts, width, wide: false, paint })
    : (await import('../../output/tables/table.ts')).plainTable(view.columns, rows, facts, paint);
  await stderr.write(table);
}

/** A spinner where the terminal redraws, else lines for build logs; nothing with `--quiet`. */
function progress(context: Context, first: string): Progress {
  const { clock, settings, terminal } = context;
  if (settings.get('quiet')) return { update: () => undefined, stop: () => Promise.resolve() };
  let text = first;
  if (terminal.errors && terminal.redraws) {
    const loading = import('../../output/live/spinner.ts').then(({ openSpinner }) => openSpinner(context, text));
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
  let nextAt = clock.monotonic() + FIRST_AFTER_MS;
  let said = Promise.resolve();
  return {
    update: (next) => {
      if (clock.monotonic() < nextAt) return;
      nextAt = clock.monotonic() + EVERY_MS;
      // A failed write of a line does not end the wait.
      said = said.then(() => tell(context, next.replace(/^(?:waiting for )?/, 'Waiting for '))).catch(() => undefined);
    },
    stop: () => said,
  };
}
