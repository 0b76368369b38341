import { type CommandLine, type Message, printed } from '../../../core/message.ts';
import { allowedAccess } from '../../../core/access.ts';
import { readRequest, type ApiRequest } from '../../../core/api.ts';
import type { Context } from '../../../core/context.ts';
import { type Failure, unlessFailed } from '../../../core/failure.ts';
import { isOnThisMachine } from '../../../core/addresses/http-address.ts';
import { safeText } from '../../../core/safe-text.ts';
import type { Json } from '../../../core/json.ts';
import type { OutputOptions, View } from '../../../output/view.ts';
import { DEFAULT_COLUMNS } from '../../../output/text/default-size.ts';
import { styled } from '../../../output/text/terminal-text.ts';
import { openRows } from '../../../output/print/row-writer.ts';
import type { CommandContext, Progress } from '../../model/context.ts';
import { IdCache } from '../../model/id-cache.ts';
import { warningOfUnknownPages } from './unknown-paging.ts';
import { confirmingRemovals } from './confirm-removals.ts';
import { DryRun, dryRunApi, dryRunOutput } from './dry-run.ts';
import { createServiceClock } from './service-clock.ts';
import { openWaitLines } from './wait-lines.ts';
import { recordOutputFailure, recordFileWrites, recordWrites, type WriteRecord } from './write-record.ts';

interface Modes {
  readonly output: OutputOptions;
  readonly dryRun: boolean;
  readonly yes: boolean;
}

/** A read that every service answers, sent for the date of the answer. */
const ANY_READ = readRequest(['v2', 'registries', 'delegations']);

/** State of one run, for the message of a failure that ends it. */
export interface RunState {
  /** The command line that resumes the current wait. */
  resumeCommand: CommandLine | undefined;
  /** What is still running and paid after that wait. */
  stillRunning: (() => Message | undefined) | undefined;
  readonly writes: WriteRecord;
  /** Why the setting `access` would refuse what a dry run shows: it ends with this failure. */
  refusal?: Failure | undefined;
}

/** Extends the Context for one run of a command. `state` is updated while the command runs. */
export function createCommandContext(context: Context, modes: Modes, state: RunState): CommandContext {
  const serviceClock = createServiceClock(context.clock);
  const { notes } = context;
  const tellLine = (line: Message): Promise<void> => tell(context, line);
  const service = warningOfUnknownPages(serviceClock.following(context.api), { notes, tell: tellLine });
  const noteRefusal = async (requests: readonly ApiRequest[]): Promise<void> => {
    // Loaded here: a dry run alone needs it.
    const { accessRefusal } = await import('../../../core/request-access.ts');
    state.refusal ??= accessRefusal(requests, allowedAccess(context.settings));
  };
  const api = modes.dryRun ? dryRunApi(service, noteRefusal) : recordWrites(confirmingRemovals(service), state.writes);
  const stdout = recordOutputFailure(context.stdout, state.writes);
  return {
    ...context,
    ...modes,
    output: modes.dryRun ? dryRunOutput(context.terminal, modes.output) : modes.output,
    api,
    stdout,
    volumeFiles: async (place) => recordFileWrites(await context.volumeFiles(place), state.writes),
    ids: new IdCache(),
    serviceNow: serviceClock.time,
    fetchServiceNow: async ({ overHttp = false } = {}) => {
      const asks = context.settings.local || (overHttp && isOnThisMachine(context.settings.get('base-url')));
      if (asks && !serviceClock.isSet()) await unlessFailed(context, () => api.send(ANY_READ));
      return serviceClock.time();
    },
    tell: tellLine,
    tellRows: (view, rows) => tellRows(context, view, rows, serviceClock.time()),
    progress: (text) => progress(context, text),
    rows: (view) => openRows(view, modes.output, { ...context, stdout, serviceNow: serviceClock.time }),
    previewAll: async (requests, failure) => {
      if (failure !== undefined && requests.length === 0) throw failure;
      await noteRefusal(requests);
      throw new DryRun(await Promise.all(requests.map((request) => context.api.preview(request))), failure);
    },
    setResumeCommand: (commandLine, stillRunning) => {
      state.resumeCommand = commandLine;
      state.stillRunning = stillRunning;
    },
  };
}

async function tell({ terminal, stderr, settings }: Context, line: Message): Promise<void> {
  const { errorColumns } = terminal;
  // Lines are wrapped only on a terminal.
  const text =
    errorColumns === undefined
      ? safeText(printed(line, settings))
      : (await import('../../../output/text/wrap-message.ts')).wrapLine(line, settings, errorColumns);
  await stderr.write(styled`${text}\n`);
}

async function tellRows(context: Context, view: View, rows: readonly Json[], now: number): Promise<void> {
  const { loadPaint } = await import('../../../output/text/colour.ts');
  const { terminal, stderr } = context;
  const paint = await loadPaint(terminal.colour.errors);
  const width = terminal.errorColumns ?? DEFAULT_COLUMNS;
  const facts = { now };
  const table = terminal.errors
    ? await (
        await import('../../../output/tables/terminal-table.ts')
      ).terminalTable(view.columns, rows, { facts, width, wide: false, paint })
    : (await import('../../../output/tables/plain-table.ts')).plainTable(view.columns, rows, facts, paint);
  await stderr.write(table);
}

/**
 * A spinner, loaded only if stderr is a terminal that redraws; a line now and then elsewhere; nothing with `--quiet`. Texts set
 * while the spinner loads are shown once it is loaded.
 */
function progress(context: Context, first: string): Progress {
  if (context.settings.get('quiet')) return { update: () => undefined, stop: () => Promise.resolve() };
  if (!context.terminal.errors || !context.terminal.redraws)
    return openWaitLines(context.clock, (text) => tell(context, `Waiting for ${text}`));
  let text = first;
  const loading = import('../../../output/live/spinner.ts').then(({ openSpinner }) => openSpinner(context, text));
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
