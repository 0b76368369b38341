/**
 * Which exit codes of a run of the batch are explained by what happened to it. A code that is not in the table, or that
 * none of its causes explains, is a finding.
 */
const LOST = ['service-kill', 'service-pause', 'drop', 'accept-drop', 'server-error'];

const CAUSES = {
  // The counts decide whether these are right; here only that nothing forbids them.
  0: ['always'],
  13: ['always'],
  1: ['upgrade'],
  // A resume that finds another input sends nothing.
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
 * Undefined where a run's end is explained by its causes, else what is wrong with it. `wrote` says whether it had begun
 * to work: before that, the system may end it by the signal itself.
 */
export function unexplained({ code, signal }, causes, wrote) {
  if (signal !== undefined) {
    if (signal === 'SIGKILL' && causes.has('SIGKILL')) return undefined;
    // Node itself takes an ignored signal back before any program of ours runs.
    if ((causes.has(signal) || causes.has(`ignored ${signal}`)) && !wrote) return undefined;
    return `it was ended by ${signal} itself${wrote ? ' in the middle of its work' : ''}`;
  }
  if (code === 0 && causes.has('files-away')) return 'exit code 0, and its results or its journal were gone';
  const known = CAUSES[code];
  if (known === undefined) return `exit code ${code} is in no row of the table`;
  if (known.includes('always') || known.some((cause) => causes.has(cause))) return undefined;
  return `exit code ${code} after ${[...causes].join(', ') || 'nothing at all'}`;
}
