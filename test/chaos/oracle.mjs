/** What must hold: of each output, after each run of the batch, and at the end of a round. */
import { FOREIGN } from './files.mjs';

const FORBIDDEN = [
  [/bug in berth/i, 'says "a bug in berth"'],
  [/^\s+at .*:\d+:\d+\)?$/m, 'shows a stack trace'],
  [/node:internal|UnhandledPromiseRejection|\b(?:Type|Range|Reference|Syntax)Error\b/, 'shows an error of Node itself'],
  [/Warning: /, 'shows a warning of Node itself'],
];

/** What is wrong with what a program said. `key` must not be in it, if given. */
export function wrongInOutput(text, key) {
  const found = FORBIDDEN.filter(([pattern]) => pattern.test(text)).map(([, what]) => what);
  if (key !== undefined && text.includes(key)) found.push('shows the key');
  return found;
}

const KINDS = ['completed', 'failed', 'cancelled', 'timedOut', 'expired', 'unknown', 'inFlight', 'waiting'];

/** The counts on stdout: one JSON document or nothing. Gives what is wrong with them, and the counts. */
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

export const leftOver = ({ waiting, inFlight }) => waiting + inFlight;

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
 * What is wrong after any run: items that the service took more than once, lines that it should never have seen, results
 * that are not those of their item. `mayRepeat` gives how many more times an item may have been sent, because it was
 * listed as unknown and sent again on request.
 */
export function wrongSoFar(items, service, lines, mayRepeat) {
  const wrong = [];
  const taken = service.taken();
  for (const mark of taken.keys())
    if (mark.startsWith(FOREIGN)) wrong.push(`sent what was not in the input that was checked: ${mark}`);
  for (const { n, mark } of items) {
    const times = taken.get(mark) ?? 0;
    if (times > 1 + (mayRepeat.get(n) ?? 0)) wrong.push(`double: item ${n} was taken ${times} times`);
  }
  for (const line of lines) wrong.push(...wrongInLine(line, items, service));
  return wrong;
}

function wrongInLine(line, items, service) {
  if (line.broken !== undefined) return [`a line of the results is not JSON: ${line.broken.slice(0, 200)}`];
  const item = items[line.item - 1];
  if (item === undefined) return [`a result of item ${line.item}, which does not exist`];
  const wrong = [];
  if (line.id !== item.mark) wrong.push(`the result of item ${line.item} has the id ${line.id}`);
  const mark = service.markOf(line.job);
  // A job that was taken at the very moment of a jump may be gone before anyone has seen it.
  const isGone = mark === undefined && line.status === 'EXPIRED';
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

/** What is wrong at the end: each item is in exactly one account, and was taken as its account says. */
export function wrongAtEnd(items, service, lines, status) {
  const wrong = [];
  const unknown = new Set(status.unknownItems);
  const byItem = new Map();
  for (const line of lines) byItem.set(line.item, [...(byItem.get(line.item) ?? []), line]);
  const counts = Object.fromEntries(KINDS.map((kind) => [kind, 0]));
  counts.unknown = unknown.size;
  const taken = service.taken();
  for (const { n, mark } of items) {
    const own = byItem.get(n) ?? [];
    if (own.length + (unknown.has(n) ? 1 : 0) !== 1)
      wrong.push(
        `${own.length === 0 && !unknown.has(n) ? 'lost: ' : ''}item ${n} is in ${own.length} result lines${unknown.has(n) ? ' and unknown' : ''}`,
      );
    for (const { status: said } of own) counts[STATUS_COUNT[said]] += 1;
    if (own.length > 0 && !taken.has(mark) && own[0].status !== 'EXPIRED')
      wrong.push(`item ${n} has a result, and the service never took it`);
  }
  for (const kind of KINDS)
    if (counts[kind] !== status[kind])
      wrong.push(`status says ${status[kind]} ${kind}, the results say ${counts[kind]}`);
  if (status.planned !== items.length) wrong.push(`status says ${status.planned} items, there are ${items.length}`);
  return wrong;
}
