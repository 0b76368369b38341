import { remainingAfterDelete } from '../../cli/money/account-line.ts';
import { labelOf } from '../../cli/resource/choose.ts';
import { deleteCommand } from '../../cli/resource/delete.ts';
import { isLocked, savingOfEnd } from './action-cost.ts';
import { PODS } from './resource.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { isObject, type Json, memberAt, stringAt } from '../../core/json.ts';
import { berth, lines, type Message, sentence } from '../../core/message.ts';
import { idOf } from '../../output/view.ts';

/** The service neither changes nor deletes pods of a cluster (contract rules, Pods). */
function memberReason(pod: Json): string | undefined {
  const cluster = stringAt(pod, 'cluster.id');
  return cluster === undefined ? undefined : `pod ${labelOf(pod)} is a member of cluster ${cluster}`;
}

function memberHint(pod: Json): Message | undefined {
  const cluster = stringAt(pod, 'cluster.id');
  return cluster === undefined
    ? undefined
    : sentence`It goes with its cluster: ${berth`clusters delete ${cluster}`}. The pods of that: ${berth`clusters pods ${cluster}`}`;
}

/** Fails with refused (5) for a pod of a cluster. */
export function refuseMember(pod: Json): void {
  const reason = memberReason(pod);
  if (reason !== undefined)
    throw new Failure({
      code: 'refused',
      exit: EXIT.refused,
      message: `${reason}: nothing was sent`,
      hint: memberHint(pod),
    });
}

/** The service terminates even a locked pod (contract rules, Pods): berth refuses it. */
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
  // Pods of a cluster end with it (contract rules, Pods).
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
