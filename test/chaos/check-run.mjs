/** Checks the end of a run: its exit code, its output and its counts. Adds what is wrong to the findings of the round. */
import { findUnexplainedEnd } from './exit-codes.mjs';
import { findOutputProblems, readCounts, remainingItems } from './invariants.mjs';

/** Removes numbers and names from a finding, so that findings of one kind are counted together. */
export const kindOf = (text) =>
  text.replaceAll(/[0-9a-f]{8}-u1|\b[mX]\d*-?[0-9a-z]*\b|-?\d+(\.\d+)?/g, 'N').slice(0, 110);

/** Checks the output of a process and that it ended in time. Returns the end of the process. */
export function checkOutput(round, ended, who) {
  for (const wrong of findOutputProblems(ended.stdout + ended.stderr, round.service.key()))
    round.found(`output ${wrong}`, `${who}: ${(ended.stderr || ended.stdout).slice(0, 1500)}`);
  if (ended.hung)
    round.found(
      'hangs',
      `${who}: no end within ${ended.tookMs} ms (${round.clocks()}); it said: ${ended.stderr.slice(-500)}`,
    );
  return ended;
}

/** Checks the end of a run of the batch. `wrote` says whether it had written to its journal. */
export function checkRun(round, run, ended, wrote) {
  const { exits } = round.outcome;
  const name = ended.hung ? 'hung' : String(ended.code ?? ended.signal);
  const causes = [...run.causes].join(', ');
  exits[name] = (exits[name] ?? 0) + 1;
  round.outcome.lastCode = ended.code;
  round.log(`ended ${name} after ${ended.tookMs} ms (${causes}); stderr: ${ended.stderr.slice(0, 1200)}`);
  checkOutput(round, ended, `the batch, after ${causes || 'nothing'}`);
  if (ended.hung) return;
  const strange = findUnexplainedEnd(ended, run.causes, wrote);
  if (strange !== undefined)
    round.found(`unexplained: exit ${ended.code ?? ended.signal}`, `${strange}: ${ended.stderr.slice(0, 700)}`);
  if (![0, 9, 13, 129, 130, 143].includes(ended.code) && ended.signal === undefined && ended.stderr.trim() === '')
    round.found('no error message', `exit ${ended.code} without a message`);
  const { counts, wrong } = readCounts(ended.stdout);
  for (const each of wrong) round.found(kindOf(each), each);
  if (counts === undefined) return;
  if ((counts.tookSeconds ?? 0) * 1000 > ended.tookMs + 1000)
    round.found('tookSeconds is too long', `${counts.tookSeconds} s said, ${ended.tookMs} ms passed`);
  if (ended.code === 0 && counts.completed !== counts.planned)
    round.found('exit 0, but not all items completed', ended.stdout);
  if (ended.code === 13 && remainingItems(counts) > 0)
    round.found('exit 13 with items left, without a cause', `${ended.stdout} ${ended.stderr}`);
}

/** Checks that one of two processes that were started at once runs the batch, or a later one that was faster. */
export function checkOtherRun(round, run, ended, other) {
  checkOutput(round, other, 'the other of two simultaneous processes');
  round.log(`the other ended ${other.code ?? other.signal}: ${other.stderr.slice(0, 300)}`);
  const isRefused = ({ code, stderr }) => code === 14 && /at work|exists already|lock/.test(stderr);
  if (isRefused(ended) && isRefused(other) && run.secondWorked !== true)
    round.found('neither of two simultaneous processes runs', `${ended.stderr}\n${other.stderr}`);
  if (other.hung) return;
  const strange = findUnexplainedEnd(other, run.causes, false);
  if (strange !== undefined)
    round.found(
      `unexplained: exit ${other.code ?? other.signal} of the other`,
      `${strange}: ${other.stderr.slice(0, 700)}`,
    );
}
