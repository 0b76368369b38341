import {
  type BatchReport,
  batchReportLine,
  batchStatusLine,
  type ItemCounts,
  itemsLeft,
  LOCAL_SERVICE,
  notCompleted,
  resumeLine,
} from '../../batch/index.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import type { ValuesOf } from '../../cli/model/params.ts';
import { countOf } from '../../cli/words.ts';
import type { limitOptions } from './options.ts';
import { describeCounts } from './progress.ts';
import { batchView, summaryOf } from './summary-view.ts';
import { EXIT, type ExitCode } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { berth, type CommandLine, lines, type Message, sentence } from '../../core/message.ts';
import { groupNumbers, rangesOf } from '../../core/patterns.ts';
import { safeText } from '../../core/safe-text.ts';
import type { Result } from '../../output/view.ts';

function notesOf(ctx: CommandContext, report: Run): readonly Message[] {
  const { counts, stopped, unordered, resumable } = report;
  return [
    ...(stopped?.reason === 'interrupt' ? ['Interrupted. Nothing was cancelled.'] : []),
    ...(stopped?.reason === 'timeout' ? ['The time is up. Nothing was cancelled.'] : []),
    ...(stopped?.reason === 'failures' ? ['Stopped sending: more items failed than --max-failures allows.'] : []),
    ...inFlightNotes(counts),
    ...(unordered ? ['All results are fetched, and not yet in the order of the input.'] : []),
    ...(resumable ? [sentence`Go on with: ${resumeCommand(report)}`] : []),
    ...failedRequestsNotes(report),
    ...commonestErrorNotes(ctx, report),
    ...notRetriedNotes(report),
    ...(counts.unknown > 0 ? [unknownNote(report)] : []),
    ...(itemsLeft(counts) === 0 ? retryNotes(report) : []),
    ...(counts.expired > 0 ? expiredNotes(report) : []),
    ...reportNotes(ctx, report),
  ];
}

type Run = BatchReport & { readonly limits: readonly string[] };

const resumeCommand = ({ service, name, limits }: Run, ...more: readonly string[]): CommandLine =>
  resumeLine(service === LOCAL_SERVICE, name, ...more, ...withoutFlag(limits, more[0]));

const withoutFlag = (flags: readonly string[], without: string | undefined): readonly string[] =>
  flags.filter((_, at) => flags[at - (at % 2)] !== without);

/** A script is told only when items did not complete. */
const reportNotes = ({ terminal }: CommandContext, { counts, name }: BatchReport): readonly Message[] =>
  itemsLeft(counts) === 0 && (terminal.errors || counts.completed < counts.planned)
    ? [sentence`See cost, times and failures: ${batchReportLine(name)}`]
    : [];

const inFlightNotes = ({ inFlight }: ItemCounts): readonly string[] =>
  inFlight > 0 ? [`${countOf(inFlight, 'job')} went on at the service, which keeps results for 30 minutes.`] : [];

function unknownNote(report: Run): Message {
  const { counts, unknownReason } = report;
  const reason = unknownReason === undefined ? '' : ` (${safeText(unknownReason)})`;
  return sentence`${countOf(counts.unknown, 'item')} may or may not have run${reason}. To send again, at the risk of running twice: ${resumeCommand(report, '--resubmit', 'unknown')}`;
}

const failedRequestsNotes = ({ failedRequests }: BatchReport): readonly string[] =>
  failedRequests === undefined
    ? []
    : [
        `${failedRequests.count} of ${failedRequests.total} requests failed, which slowed the batch: ${safeText(failedRequests.message)}`,
      ];

/** When stderr is not a terminal. */
const DEFAULT_COLUMNS = 200;

/** The error is shortened to one terminal line. */
function commonestErrorNotes({ terminal }: CommandContext, report: BatchReport): readonly string[] {
  const { commonestError, failedItems, resumed } = report;
  if (commonestError === undefined) return [];
  const since = resumed ? ' since the resume' : '';
  const head =
    failedItems === 1
      ? `The error${since}: `
      : `The commonest error${since}, ${commonestError.count} of ${failedItems}: `;
  const width = (terminal.errorColumns ?? DEFAULT_COLUMNS) - head.length;
  const error = safeText(commonestError.error);
  return [head + (error.length <= width ? error : `${error.slice(0, Math.max(0, width - 1))}…`)];
}

function notRetriedNotes({ notRetried }: BatchReport): readonly string[] {
  if (notRetried === undefined) return [];
  const { neverAccepted, expired, refused } = notRetried;
  return [
    ...(neverAccepted > 0
      ? [`${countOf(neverAccepted, 'item')} cannot be run again: the service refused the input, and would again.`]
      : []),
    ...(expired > 0
      ? [
          `${countOf(expired, 'failed job')} could not be run again: no longer at the service, which removes a job 30 minutes after its end.`,
        ]
      : []),
    ...(refused === undefined
      ? []
      : [`${countOf(refused.count, 'failed job')} could not be run again: ${refused.failure.message}`]),
  ];
}

/** Retry works while the service has the job; a failed item can be resubmitted at any age. */
function retryNotes(report: Run): readonly Message[] {
  const { counts, retryableJobs, notRetried } = report;
  // An input that the service refused would be refused again.
  const resubmittable = retryableJobs + (notRetried?.expired ?? 0) > 0;
  const states = [...(counts.failed > 0 ? ['failed'] : []), ...(counts.timedOut > 0 ? ['timed-out'] : [])];
  return [
    ...(retryableJobs === 0
      ? []
      : [
          sentence`To run ${retryableJobs === 1 ? 'the failed one' : 'failed ones'} again, within 30 minutes of the end: ${resumeCommand(report, '--retry-failed', '1')}`,
        ]),
    ...(resubmittable && states.length > 0
      ? [sentence`To send them again as new jobs, at any age: ${resumeCommand(report, '--resubmit', states.join(','))}`]
      : []),
  ];
}

const MAX_RANGES = 12;

/** Expired items may have run: resume resubmits them only on request, after asking the service. */
function expiredNotes(report: Run): readonly Message[] {
  const { counts, expiredItems, expiredMayBeThere } = report;
  const isListed = expiredItems.length > 0 && groupNumbers(expiredItems).length <= MAX_RANGES;
  const listed = isListed ? `: ${rangesOf(expiredItems)}` : '';
  const them = counts.expired === 1 ? 'it' : 'them';
  const how = resumeCommand(report, '--resubmit', 'expired');
  const head = `${countOf(counts.expired, 'item')} expired, and may have run${listed}.`;
  if (!expiredMayBeThere) return [sentence`${head} To run ${them} again: ${how}`];
  return [
    sentence`${head} To ask for ${them} once more, which costs nothing: ${resumeCommand(report)}`,
    sentence`To send again as new jobs those that are not there: ${how}`,
  ];
}

/** With the next step as its hint; undefined if nothing failed. */
function failureOf(report: Run): Failure | undefined {
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
      ...(counts.unknown > 0 ? [unknownNote(report)] : []),
      ...(jobs === '' ? [] : [`These were accepted by the service and could not be recorded: ${jobs}.`]),
      sentence`See the state of the batch: ${batchStatusLine(report.name)}`,
      sentence`Then go on with: ${resumeCommand(report)}`,
    ),
  });
}

/** Exit 0 all completed, 13 some not, 9 --max-time, 130/143 interrupt, else the failure's. */
export function batchResult(ctx: CommandContext, ran: BatchReport, limits: Limits): Result {
  const report: Run = { ...ran, limits: limitFlags(limits, ran.counts) };
  const { tookMs, cost, commonestError, resumed } = report;
  const value = {
    ...summaryOf(report),
    tookSeconds: tookMs / 1000,
    executionCostUsd: cost === undefined ? null : { ...cost },
    commonestError: commonestError === undefined ? null : { ...commonestError, sinceResume: resumed },
  };
  const result = { kind: 'one', view: batchView, value } as const;
  const failure = failureOf(report);
  // The hint of the failure says what to do next.
  if (failure !== undefined) return { ...result, failure };
  return { ...result, exit: exitOf(ctx, report), notes: notesOf(ctx, report) };
}

type Limits = Pick<
  ValuesOf<typeof limitOptions>,
  'concurrency' | 'rate' | 'inFlight' | 'maxFailures' | 'maxTime' | 'retryFailed'
>;

/** Resume remembers no limits. `--max-failures` includes earlier failures: as many more may fail. */
function limitFlags(
  { concurrency, rate, inFlight, maxFailures, maxTime, retryFailed }: Limits,
  counts: ItemCounts,
): readonly string[] {
  const flags: Readonly<Record<string, number | string | undefined>> = {
    '--concurrency': concurrency,
    '--rate': rate,
    '--in-flight': inFlight,
    '--max-failures': maxFailures === undefined ? undefined : maxFailures + notCompleted(counts),
    '--max-time': maxTime === undefined ? undefined : `${Math.ceil(maxTime / 1000)}s`,
    '--retry-failed': retryFailed,
  };
  return Object.entries(flags).flatMap(([flag, value]) => (value === undefined ? [] : [flag, String(value)]));
}

function exitOf(ctx: CommandContext, { counts, stopped, unordered }: BatchReport): ExitCode {
  if (counts.completed === counts.planned && !unordered) return EXIT.done;
  switch (stopped?.reason) {
    case 'interrupt':
      return ctx.signal.reason instanceof Failure ? ctx.signal.reason.exit : EXIT.interrupted;
    case 'timeout':
      return EXIT.waitEnded;
    case 'failures':
    case 'error':
    case undefined:
      return EXIT.batchIncomplete;
  }
}
