/** The invariants: of each output, after each run of the batch, and at the end of a round. */
import { FOREIGN } from './files.mjs';

const FORBIDDEN = [
  [/bug in berth/i, 'says "a bug in berth"'],
  [/^\s+at .*:\d+:\d+\)?$/m, 'shows a stack trace'],
  [/node:internal|UnhandledPromiseRejection|\b(?:Type|Range|Reference|Syntax)Error\b/, 'shows an error of Node itself'],
  [/Warning: /, 'shows a warning of Node itself'],
];

/** Returns the problems of a program's output. `key`, if given, must not be in it. */
export function findOutputProblems(text, key) {
  const found = FORBIDDEN.filter(([pattern]) => pattern.test(text)).map(([, what]) => what);
  if (key !== undefined && text.includes(key)) found.push('shows the key');
  return found;
}

const KINDS = ['completed', 'failed', 'cancelled', 'timedOut', 'expired', 'unknown', 'inFlight', 'waiting'];

/** Parses the counts on stdout, which is one JSON document or empty. Returns the counts and their problems. */
export function readCounts(stdout) {
  if (stdout.trim() === '') return { wrong: [] };
  let counts;
  try {
    counts = JSON.parse(stdout);
  } catch {
    return { wrong: ['stdout is not one JSON document'] };
  }
  const sum = KINDS.reduce((total, kind) => total + (counts[kind] ?? Number.NaN), 0);
  const wrong = sum === counts.planned ? [] : [`the counts do not add up: ${stdout}`];
  if ((counts.tookSeconds ?? 0) < 0) wrong.push(`tookSeconds is ${counts.tookSeconds}`);
  return { counts, wrong };
}

export const remainingItems = ({ waiting, inFlight }) => waiting + inFlight;

const STATUS_COUNT = {
  COMPLETED: 'completed',
  FAILED: 'failed',
  ERROR: 'failed',
  REFUSED: 'failed',
  CANCELLED: 'cancelled',
  TIMED_OUT: 'timedOut',
  EXPIRED: 'expired',
};

/**
 * Returns the problems after a run: items that the service accepted more than once, lines that it should never have received,
 * results that belong to another item. `mayRepeat` says how many more times an item may have been sent, because it was unknown
 * and resubmitted on request.
 */
export function findProblemsAfterRun(items, service, lines, mayRepeat) {
  const wrong = [];
  const taken = service.submissionCounts();
  for (const mark of taken.keys())
    if (mark.startsWith(FOREIGN)) wrong.push(`sent something that was not in the validated input: ${mark}`);
  for (const { n, mark } of items) {
    const times = taken.get(mark) ?? 0;
    if (times > 1 + (mayRepeat.get(n) ?? 0)) wrong.push(`double: item ${n} was accepted ${times} times`);
  }
  for (const line of lines) wrong.push(...findLineProblems(line, items, service));
  return wrong;
}

/**
 * A job that was accepted in the second before a clock jump may be deleted before the campaign has read it. Its result says
 * itself whose it is, where it has one: a job that ended by a limit of time has none.
 */
const mayBeUnread = ({ status, output, error }, { mark }) =>
  ['EXPIRED', 'TIMED_OUT'].includes(status) || output?.mark === mark || String(error).includes(mark);

function findLineProblems(line, items, service) {
  if (line.broken !== undefined) return [`a line of the results is not JSON: ${line.broken.slice(0, 200)}`];
  const item = items[line.item - 1];
  if (item === undefined) return [`a result of item ${line.item}, which does not exist`];
  const wrong = [];
  if (line.id !== item.mark) wrong.push(`the result of item ${line.item} has the id ${line.id}`);
  const mark = service.markOf(line.job);
  const isGone = mark === undefined && mayBeUnread(line, item);
  if (line.job !== undefined && mark !== item.mark && !isGone)
    wrong.push(`the result of item ${line.item} is of job ${line.job}, which is of ${mark ?? 'nothing'}`);
  if (STATUS_COUNT[line.status] === undefined) wrong.push(`the result of item ${line.item} has status ${line.status}`);
  if (line.status === 'COMPLETED' && (line.output?.mark !== item.mark || line.output.n !== item.n))
    wrong.push(`the result of item ${line.item} has another item's output`);
  if (line.status === 'COMPLETED' && item.fail === true) wrong.push(`item ${line.item} should have failed`);
  if (line.status === 'FAILED' && (item.fail !== true || !String(line.error).includes(item.mark)))
    wrong.push(`item ${line.item} failed with ${line.error}`);
  return wrong;
}

/** Returns the problems at the end: each item must have exactly one result or be unknown, and submissions must match. */
export function findProblemsAtEnd(items, service, lines, status) {
  const wrong = [];
  const unknown = new Set(status.unknownItems);
  const byItem = new Map();
  for (const line of lines) byItem.set(line.item, [...(byItem.get(line.item) ?? []), line]);
  const counts = Object.fromEntries(KINDS.map((kind) => [kind, 0]));
  counts.unknown = unknown.size;
  const taken = service.submissionCounts();
  for (const { n, mark } of items) {
    const own = byItem.get(n) ?? [];
    if (own.length + (unknown.has(n) ? 1 : 0) !== 1)
      wrong.push(
        `${own.length === 0 && !unknown.has(n) ? 'lost: ' : ''}item ${n} is in ${own.length} result lines${unknown.has(n) ? ' and unknown' : ''}`,
      );
    for (const { status: said } of own) counts[STATUS_COUNT[said]] += 1;
    if (own.length > 0 && !taken.has(mark) && !mayBeUnread(own[0], { mark }))
      wrong.push(`item ${n} has a result, and the service never accepted it`);
  }
  for (const kind of KINDS)
    if (counts[kind] !== status[kind])
      wrong.push(`status says ${status[kind]} ${kind}, the results say ${counts[kind]}`);
  if (status.planned !== items.length) wrong.push(`status says ${status.planned} items, there are ${items.length}`);
  return wrong;
}
