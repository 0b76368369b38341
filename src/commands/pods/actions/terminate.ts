import { berth, lines, sentence } from '../../../core/message.ts';
import { isObject, memberAt, type Json } from '../../../core/json.ts';
import { deleteCommand } from '../../../cli/resource/delete.ts';
import { labelOf } from '../../../cli/resource/choose.ts';
import { memberHint, memberReason } from '../pod/cluster-member.ts';
import { isLocked, savingOfEnd } from './cost.ts';
import { remainingAfterDelete } from '../../shared/rate/account-line.ts';
import { PODS } from '../pod/resource.ts';
import { idOf } from '../../../output/view.ts';

/** The service refuses to stop a locked pod, and terminates it (contract rules, Pods): berth refuses that too. */
const lockedReasons = (pods: readonly Json[]): ReadonlyMap<string, string> =>
  new Map(pods.filter(isLocked).map((pod) => [idOf(pod), `pod ${labelOf(pod)} is locked`]));

export const terminate = deleteCommand(PODS, 'pods', {
  summary: 'terminate pods for good',
  details:
    'delete and terminate are the same command. A locked pod is refused, before anything is sent, unless --force is given. On a terminal, the name of a pod with a persistent mount must be typed.',
  loss: 'Container disks and persistent mounts are destroyed; network volumes are kept.',
  destroysData: (pod) => isObject(memberAt(pod, 'mounts.persistent')),
  saving: savingOfEnd,
  remaining: remainingAfterDelete,
  guard: {
    force: 'terminate locked pods too',
    reasons: async (_, pods) => lockedReasons(pods),
    hint: (_, ids) => lines(...ids.map((id) => sentence`Unlock it: ${berth`pods update ${id} --locked off`}`)),
  },
  // The pods of a cluster go with it (contract rules, Pods).
  refused: {
    reasons: async (_, pods) =>
      new Map(
        pods.flatMap((pod) => {
          const reason = memberReason(pod);
          return reason === undefined ? [] : [[idOf(pod), reason] as const];
        }),
      ),
    hint: memberHint,
  },
  done: 'terminated',
  examples: [
    ['berth pods terminate web --yes', 'without a question, for scripts'],
    ["berth pods terminate --match 'test-*' --older-than 1d --yes", 'some of them, by name and age'],
    ['berth pods terminate --status EXITED --dry-run', 'the requests that would be sent'],
    ["berth pods terminate --match 'lab?' --yes --json", 'in a script: an outcome for each'],
  ],
});
