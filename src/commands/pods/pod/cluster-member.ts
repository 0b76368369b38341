import { EXIT } from '../../../core/exit-codes.ts';
import { Failure } from '../../../core/failure.ts';
import { type Json, stringAt } from '../../../core/json.ts';
import { berth, type Message, sentence } from '../../../core/message.ts';
import { labelOf } from '../../../cli/resource/choose.ts';

/** Why the service neither changes nor deletes a pod by itself: it is part of a cluster (contract rules, Pods). */
export function memberReason(pod: Json): string | undefined {
  const cluster = stringAt(pod, 'cluster.id');
  return cluster === undefined ? undefined : `pod ${labelOf(pod)} is a member of cluster ${cluster}`;
}

/** What to do about a pod of a cluster, which goes with its cluster. */
export function memberHint(pod: Json): Message | undefined {
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
