/** What is said after the decisions of a sweep: what the policy misses, and what a person can do. */
import { stringAt } from '../../core/json.ts';
import { berth, sentence, type Message } from '../../core/message.ts';
import { formatDuration } from '../../core/units.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { countOf } from '../../cli/words/words.ts';
import { idOf } from '../../output/view.ts';
import type { Decision } from '../../guard/decide/decide.ts';
import { longestInterval } from '../../guard/samples/idle.ts';
import type { Policy, Rule } from '../../guard/policy/rules.ts';
import { policyWarnings } from '../../guard/decide/warnings.ts';
import type { Sweep } from './sweep/sweep.ts';

/** The most ids that a command line names. */
const MAX_NAMED = 10;

export const adviceOf = (policy: Policy, { decisions, subjects, now }: Sweep): readonly Message[] => [
  ...policyWarnings(policy, subjects, now),
  ...policy.rules.flatMap((rule) => notJudged(rule, decisions)),
  ...inError(decisions),
];

/** The time that samples of a rule must cover; undefined for a rule that needs none. */
export const windowOf = ({ when }: Rule): Milliseconds | undefined =>
  when.kind === 'idle' ? when.limits.forMs : when.kind === 'no-jobs' ? when.ms : undefined;

function notJudged(rule: Rule, decisions: readonly Decision[]): readonly Message[] {
  const windowMs = windowOf(rule);
  const unknown = decisions.filter((decision) => decision.rule === rule.name && decision.verdict === 'unknown');
  if (windowMs === undefined || unknown.length === 0) return [];
  const count = countOf(unknown.length, unknown[0]?.kind ?? 'pod');
  const [every, whole] = [formatDuration(longestInterval(windowMs)), formatDuration(windowMs)];
  return [
    sentence`Rule ${rule.name}: whether ${count} ${unknown.length === 1 ? 'was' : 'were'} used is not known. It needs a sample at least every ${every} for ${whole}, of runs that often, or of ${berth`guard run --every 1m`}`,
  ];
}

/** A pod in ERROR is paid until it is terminated, which no guard does that may not. */
function inError(decisions: readonly Decision[]): readonly Message[] {
  const ids = decisions
    .filter(
      ({ kind, row, verdict, action }) =>
        kind === 'pod' && verdict === 'over' && action === 'report' && stringAt(row, 'status') === 'ERROR',
    )
    .map(({ row }) => idOf(row));
  return ids.length === 0
    ? []
    : [
        sentence`To end what pods in ERROR cost: ${berth`pods terminate ${ids.slice(0, MAX_NAMED)}`}, or a guard with --allow-terminate, which leaves those with a persistent mount.`,
      ];
}
