/**
 * The causes that explain each exit code of a batch run. A code that is not in the table, or without one of its causes, is a
 * finding.
 */
const LOST = ['service-kill', 'service-pause', 'drop', 'accept-drop', 'server-error'];

const CAUSES = {
  // Whether these are correct is decided by the counts.
  0: ['always'],
  13: ['always'],
  1: ['upgrade'],
  // A resume refuses a changed input.
  2: ['input-edit'],
  6: ['rate-limit'],
  7: [...LOST],
  8: [...LOST],
  9: ['max-time'],
  14: ['input-edit', 'files-away', 'full-disk', 'second-driver', 'two-at-once', 'upgrade'],
  129: ['SIGHUP'],
  130: ['SIGINT'],
  143: ['SIGTERM', 'SIGHUP'],
};

/**
 * Returns undefined when the causes explain the end of a run, otherwise a description of the problem. `wrote` says whether the
 * run had written to its journal: before that, a signal may end the process directly.
 */
export function findUnexplainedEnd({ code, signal }, causes, wrote) {
  if (signal !== undefined) {
    if (signal === 'SIGKILL' && causes.has('SIGKILL')) return undefined;
    // Node resets an ignored signal before it loads the program.
    if ((causes.has(signal) || causes.has(`ignored ${signal}`)) && !wrote) return undefined;
    return `it was ended by ${signal} itself${wrote ? ' in the middle of its work' : ''}`;
  }
  if (code === 0 && causes.has('files-away')) return 'exit code 0, but its results or its journal were missing';
  const known = CAUSES[code];
  if (known === undefined) return `exit code ${code} is not in the table`;
  if (known.includes('always') || known.some((cause) => causes.has(cause))) return undefined;
  return `exit code ${code} after ${[...causes].join(', ') || 'no event'}`;
}
