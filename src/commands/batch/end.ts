import {
  type BatchReport,
  batchStatusLine,
  type ItemCounts,
  itemsLeft,
  LOCAL_SERVICE,
  resumeLine,
} from '../../batch/index.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { countOf } from '../../cli/words.ts';
import { describeCounts } from './progress.ts';
import { batchView, summaryOf } from './summary-view.ts';
import { EXIT, type ExitCode } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { berth, type CommandLine, lines, type Message, sentence } from '../../core/message.ts';
import { groupNumbers, rangesOf } from './options.ts';
import { safeText } from '../../core/safe-text.ts';
import type { Result } from '../../output/view.ts';

/** Exit 0 all completed, 13 some not, 9 --max-time, 130/143 interrupt, else the failure's. */
export function batchResult(ctx: CommandContext, report: BatchReport, { failedOk }: EndOptions): Result {
  const { tookMs, cost, commonestError } = report;
  const value = {
    ...summaryOf(report),
    tookSeconds: tookMs / 1000,
    executionCostUsd: cost === undefined ? null : { ...cost },
    commonestError: commonestError ?? null,
  };
  const result = { kind: 'one', view: batchView, value } as const;
  const failure = failureOf(report);
  // The hint of the failure says what to do next.
  if (failure !== undefined) return { ...result, failure };
  const exit = exitOf(ctx, report);
  const isOk = failedOk && exit === EXIT.batchIncomplete && itemsLeft(report.counts) === 0;
  return { ...result, exit: isOk ? EXIT.done : exit, notes: notesOf(ctx, report) };
}

interface EndOptions {
  /** Items that did not complete are no failure. */
  readonly failedOk: boolean;
}

const resumeCommand = ({ service, name }: BatchReport, ...more: readonly string[]): CommandLine =>
  resumeLine(service === LOCAL_SERVICE, name, ...more);

const STOPPED: Readonly<Record<string, string>> = {
  interrupt: 'Interrupted. Nothing was cancelled.',
  timeout: 'Time is up. Nothing was cancelled.',
  failures: 'Stopped submitting: more failures than --max-failures.',
};

function notesOf(ctx: CommandContext, report: BatchReport): readonly Message[] {
  const { counts, stopped, unordered, resumable, failedItems, refused } = report;
  const states = [...(counts.failed > 0 ? ['failed'] : []), ...(counts.timedOut > 0 ? ['timed-out'] : [])];
  // An input that the service refused would be refused again.
  const mayPass = failedItems === 0 || failedItems > refused;
  return [
    ...(stopped === undefined ? [] : [STOPPED[stopped.reason] ?? '']),
    ...inFlightNotes(counts),
    ...(unordered ? ['All results are fetched, but not sorted yet.'] : []),
    ...(resumable ? [sentence`Continue: ${resumeCommand(report)}`] : []),
    ...commonestErrorNotes(ctx, report),
    ...unknownNotes(report),
    ...(itemsLeft(counts) === 0 && states.length > 0 && mayPass
      ? [sentence`Send failed items again: ${resumeCommand(report, '--resubmit', states.join(','))}`]
      : []),
    ...expiredNotes(report),
  ];
}

const inFlightNotes = ({ inFlight }: ItemCounts): readonly string[] =>
  inFlight > 0 ? [`${countOf(inFlight, 'job')} still running: results are kept for 30 minutes.`] : [];

function unknownNotes(report: BatchReport): readonly Message[] {
  const { counts, unknownReason } = report;
  if (counts.unknown === 0) return [];
  const reason = unknownReason === undefined ? '' : ` (${safeText(unknownReason)})`;
  return [
    sentence`${countOf(counts.unknown, 'item')} may or may not have run${reason}. To send again, at the risk of running twice: ${resumeCommand(report, '--resubmit', 'unknown')}`,
  ];
}

const MAX_RANGES = 12;

function expiredNotes(report: BatchReport): readonly Message[] {
  const { counts, expiredItems } = report;
  if (counts.expired === 0) return [];
  const listed = groupNumbers(expiredItems).length > MAX_RANGES ? '' : `: ${rangesOf(expiredItems)}`;
  return [
    sentence`${countOf(counts.expired, 'item')} expired, and may have run${listed}. Send again: ${resumeCommand(report, '--resubmit', 'expired')}`,
  ];
}

/** When stderr is not a terminal. */
const DEFAULT_COLUMNS = 200;

/** The error is shortened to one terminal line. */
function commonestErrorNotes({ terminal }: CommandContext, report: BatchReport): readonly string[] {
  const { commonestError, failedItems } = report;
  if (commonestError === undefined) return [];
  const head = failedItems === 1 ? 'Error: ' : `Most common error (${commonestError.count} of ${failedItems}): `;
  const width = (terminal.errorColumns ?? DEFAULT_COLUMNS) - head.length;
  const error = safeText(commonestError.error);
  return [head + (error.length <= width ? error : `${error.slice(0, Math.max(0, width - 1))}…`)];
}

/** With the next step as its hint; undefined if nothing failed. */
function failureOf(report: BatchReport): Failure | undefined {
  const { stopped, unrecorded, counts } = report;
  if (stopped?.reason !== 'error') return undefined;
  const { failure } = stopped;
  const jobs = unrecorded.map(({ item, job }) => `item ${item} is job ${job}`).join(', ');
  // The hint of a failed request is about that request only.
  const isRequest = failure.exit === EXIT.unavailable || failure.exit === EXIT.unknown;
  return failure.with({
    message: `${failure.message}; the batch of ${countOf(counts.planned, 'item')} stopped with ${describeCounts(counts)}`,
    id: undefined,
    hint: lines(
      isRequest ? sentence`Check the service and the network: ${berth`doctor`}` : failure.hint,
      ...inFlightNotes(counts),
      ...unknownNotes(report),
      ...(jobs === '' ? [] : [`These were accepted by the service and could not be recorded: ${jobs}.`]),
      sentence`See the state of the batch: ${batchStatusLine(report.name)}`,
      sentence`Then continue: ${resumeCommand(report)}`,
    ),
  });
}

function exitOf(ctx: CommandContext, { counts, stopped, unordered }: BatchReport): ExitCode {
  if (counts.completed === counts.planned && !unordered) return EXIT.done;
  if (stopped?.reason === 'timeout') return EXIT.waitEnded;
  if (stopped?.reason !== 'interrupt') return EXIT.batchIncomplete;
  return ctx.signal.reason instanceof Failure ? ctx.signal.reason.exit : EXIT.interrupted;
}
