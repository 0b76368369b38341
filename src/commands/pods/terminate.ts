import { isObject, type Json, memberAt } from '../../core/json.ts';
import { berth, lines } from '../../core/message.ts';
import { idOf } from '../../output/view.ts';
import { run } from '../../cli/hint.ts';
import { remove } from '../../cli/resource/noun-writes.ts';
import { labelOf } from '../../cli/resource/targets.ts';
import { isLocked, PODS } from './resource.ts';

/** The service refuses to stop a locked pod, and terminates it: berth refuses that too. */
const lockedOf = (pods: readonly Json[]): ReadonlyMap<string, string> =>
  new Map(pods.filter(isLocked).map((pod) => [idOf(pod), `pod ${labelOf(pod)} is locked`]));

export const terminate = remove(PODS, {
  summary: 'terminate pods for good',
  details: 'delete and terminate are one command. A locked pod is refused without --force.',
  loses: 'container disk and persistent mount (network volumes are kept)',
  done: 'terminated',
  typed: (pod) => isObject(memberAt(pod, 'mounts.persistent')),
  inUse: (_, pods) => Promise.resolve(lockedOf(pods)),
  hint: (pods) => lines(...pods.map((pod) => run(berth`pods update ${idOf(pod)} --locked off`))),
  examples: [
    ['berth pods terminate old-experiment --yes', 'in a script'],
    ["berth pods terminate --match 'test-*' --older-than 1d --yes", 'several'],
  ],
});
