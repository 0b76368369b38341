import type { Accounting } from '../../../batch/store/items/item-states.ts';
import { LOCAL_SERVICE } from '../../../batch/store/journal/record.ts';
import type { OpenBatch } from '../../../batch/store/open-batch.ts';
import type { RunEnd } from '../../../batch/run/runner.ts';
import { EXIT, type ExitCode } from '../../../core/exit-codes.ts';
import { Failure } from '../../../core/failure.ts';
import { safeText } from '../../../core/safe-text.ts';
import type { CommandContext } from '../../../cli/context.ts';
import { countOf, shellWord } from '../../../cli/words.ts';
import { counts } from './progress.ts';
import type { Health } from '../../../batch/report/request-health.ts';
import type { Tally } from '../../../batch/report/error-tally.ts';
import { batchStatusLine, rangesOf, resumeLine, runsOf } from './view.ts';

/** A batch that this process has brought to where it stands. */
export interface Driven {
  readonly path: string;
  readonly inputPath: string;
  readonly batch: OpenBatch;
  readonly end: RunEnd;
  readonly tally: Tally;
  readonly health: Health;
  /** How it stood when this process took it up, and whether failed jobs were to run again. */
  readonly before: Accounting;
  readonly retried: boolean;
}

/** The service keeps results for so long (specification 8.2). */
const KEPT_MS = 30 * 60_000;

export function exitOf(ctx: CommandContext, { accounting, stopped, unordered }: RunEnd): ExitCode {
  if (accounting.completed === accounting.planned && unordered !== true) return EXIT.done;
  switch (stopped?.reason) {
    case 'interrupt':
      return ctx.signal.reason instanceof Failure ? ctx.signal.reason.exit : EXIT.interrupted;
    case 'timeout':
      return EXIT.waitEnded;
    case 'failures':
    case 'trouble':
    case undefined:
      return EXIT.batchIncomplete;
  }
}

/** What a person is told below the counts: what went wrong, and the command lines that go on. */
export function notesOf(ctx: CommandContext, driven: Driven): readonly string[] {
  const { end } = driven;
  const { accounting: sum, stopped } = end;
  const left = sum.waiting + sum.inFlight;
  return [
    ...(stopped?.reason === 'interrupt' ? ['Interrupted. Nothing was cancelled.'] : []),
    ...(stopped?.reason === 'timeout' ? ['The time is up. Nothing was cancelled.'] : []),
    ...(stopped?.reason === 'failures' ? ['Stopped sending: more items failed than --max-failures allows.'] : []),
    ...inFlightNote(sum),
    ...(end.unordered === true ? ['The results are all there, and not in the order of the input yet.'] : []),
    ...(left > 0 || end.unordered === true ? [`Go on with: ${lineOf(driven)}`] : []),
    ...failedRequestsNote(driven),
    ...commonestNote(ctx, driven),
    ...unretriedNotes(driven),
    ...(sum.unknown > 0 ? [unknownNote(driven)] : []),
    ...(left === 0 ? retryNote(ctx, driven) : []),
    ...(sum.expired > 0 ? expiredNotes(driven) : []),
  ];
}

/** Said after Ctrl-C, while answers are still to come. */
export const hearingOut = (requests: number): string =>
  `Waiting for the answer to ${countOf(requests, 'request')}. Ctrl-C again ends at once.`;

/** Why a request that was on the wire at the second Ctrl-C has no answer: it may have been taken. */
export const givenUp = (): Failure =>
  new Failure({ code: 'outcome-unknown', exit: EXIT.unknown, message: 'its answer was not waited for' });

const inFlightNote = ({ inFlight }: Accounting): readonly string[] =>
  inFlight > 0 ? [`${countOf(inFlight, 'job')} went on at the service, which keeps results for 30 minutes.`] : [];

const unknownNote = (driven: Driven): string =>
  `${countOf(driven.end.accounting.unknown, 'item')} may or may not have run${whyUnknown(driven)}. To send again, at the risk of running twice: ${lineOf(driven, '--resubmit-unknown')}`;

function whyUnknown({ tally }: Driven): string {
  const reason = tally.commonestLoss();
  return reason === undefined ? '' : ` (${safeText(reason.error)})`;
}

/** Why a batch took long: each request that fails slows it down. */
function failedRequestsNote({ health }: Driven): readonly string[] {
  const failed = health.failed();
  if (failed === undefined) return [];
  return [
    `${String(failed.count)} of ${String(failed.of)} requests failed, which slowed the batch: ${safeText(failed.says)}`,
  ];
}

const lineOf = ({ batch, path }: Driven, ...flags: readonly string[]): string =>
  resumeLine(batch.header.service === LOCAL_SERVICE, path, ...flags);

/** Something of it had been done when this process took it up. */
export const isResumed = (before: Accounting): boolean => before.waiting < before.planned;

/** Columns of a line that nobody's terminal bounds. */
const USUAL_COLUMNS = 200;

/** One line, however long the error is. */
function commonestNote({ terminal }: CommandContext, { tally, before }: Driven): readonly string[] {
  const most = tally.commonest();
  if (most === undefined) return [];
  const all = tally.failedJobs() + tally.refused();
  const since = isResumed(before) ? ' since the resume' : '';
  const head =
    all === 1 ? `The error${since}: ` : `The commonest error${since}, ${String(most.count)} of ${String(all)}: `;
  const room = (terminal.errorColumns ?? USUAL_COLUMNS) - head.length;
  const error = safeText(most.error);
  return [head + (error.length <= room ? error : `${error.slice(0, Math.max(0, room - 1))}…`)];
}

/** Why `--retry-failed` did less than it was asked for. */
function unretriedNotes({ retried, before, batch, tally }: Driven): readonly string[] {
  if (!retried) return [];
  const refused = before.failed + before.timedOut - batch.failed.length;
  const [gone, unwilling] = [tally.gone(), tally.unwilling()];
  return [
    ...(refused > 0
      ? [`${countOf(refused, 'item')} cannot be run again: the service refused the input, and would again.`]
      : []),
    ...(gone > 0
      ? [
          `${countOf(gone, 'failed job')} could not be run again: 30 minutes after its end the service does not know a job any more.`,
        ]
      : []),
    ...(unwilling === undefined
      ? []
      : [`${countOf(unwilling[0], 'failed job')} could not be run again: ${unwilling[1].message}`]),
  ];
}

/** Only where it can help: the service still has the job. Of one that failed before this process, that is not certain. */
function retryNote(ctx: CommandContext, driven: Driven): readonly string[] {
  const { tally, before, retried, batch } = driven;
  // eslint-disable-next-line no-restricted-syntax -- a date of the journal
  const known = !retried && ctx.clock.now() - batch.header.createdAt < KEPT_MS ? before.failed + before.timedOut : 0;
  const count = tally.failedJobs() + known;
  if (count === 0) return [];
  const line = lineOf(driven, '--retry-failed', '1');
  return [`To run ${count === 1 ? 'the failed one' : 'failed ones'} again, within 30 minutes of the end: ${line}`];
}

/** As many runs of items as a command line is made of, and as are named. */
const MOST_RUNS = 12;

/** Nothing sends these again: whether they ran nobody knows, and their lines in the results are written. */
function expiredNotes({ batch, inputPath, path }: Driven): readonly string[] {
  const { ledger, header } = batch;
  const items = [...ledger.items('expired')];
  const runs = runsOf(items);
  const named = runs.length <= MOST_RUNS ? `: ${rangesOf(items)}` : '';
  const one = items.length === 1;
  const which = `${countOf(items.length, 'item')} expired, and may have run${named}.`;
  const way = `To run ${one ? 'it' : 'them'} anew, begin another batch with ${one ? 'its input' : 'their inputs'}`;
  return [
    runs.length <= MOST_RUNS && header.input.format === 'jsonl'
      ? `${which} ${way}: ${linesCommand(runs, inputPath, path)}`
      : `${which} ${way}: in the results they are the lines with "status":"EXPIRED".`,
  ];
}

/** Takes items out of an input, into a file of this batch's name; lines of white space alone are no items. */
function linesCommand(runs: ReturnType<typeof runsOf>, inputPath: string, results: string): string {
  const wanted = runs.map(([from, to]) => (from === to ? `${String(from)}p` : `${String(from)},${String(to)}p`));
  const again = `${results.replace(/\.jsonl$/, '')}-again.jsonl`;
  // A file that is read while it is written over is lost.
  const file = again === inputPath ? again.replace(/\.jsonl$/, '-again.jsonl') : again;
  return `awk '/[^ \\t\\r]/' ${shellWord(inputPath)} | sed -n '${wanted.join(';')}' > ${shellWord(file)}`;
}

/** What stopped a batch, with the way on; undefined where nothing did. What is no Failure is a bug, and thrown as it is. */
export function troubleOf(driven: Driven): Failure | undefined {
  const { stopped, unwritten, accounting: sum } = driven.end;
  if (stopped?.reason !== 'trouble') return undefined;
  const { failure } = stopped;
  if (!(failure instanceof Failure)) throw failure;
  const lost = unwritten.map(({ item, job }) => `item ${String(item)} is job ${job}`).join(', ');
  // Hints of one request that was lost say that nothing was sent, or to look after it: this is about all of them.
  const ofOne = failure.exit === EXIT.unavailable || failure.exit === EXIT.unknown;
  return failure.with({
    message: `${failure.message}; the batch of ${countOf(sum.planned, 'item')} stopped with ${counts(sum)}`,
    id: undefined,
    hint: [
      ofOne ? 'Check the service and the network: berth doctor' : failure.hint,
      ...inFlightNote(sum),
      ...(sum.unknown > 0 ? [unknownNote(driven)] : []),
      ...(lost === '' ? [] : [`These were taken by the service and could not be written down: ${lost}.`]),
      `See how it stands: ${batchStatusLine(driven.path)}`,
      `Then go on with: ${lineOf(driven)}`,
    ]
      .filter((line) => line !== undefined)
      .join('\n'),
  });
}
