import { EXIT } from '../../../core/exit-codes.ts';
import { Failure } from '../../../core/failure.ts';
import { type Json, stringAt } from '../../../core/json.ts';
import { labelOf } from '../../../cli/resource/choose.ts';

/** Why the service neither changes nor deletes a pod by itself: it is part of a cluster (contract rules, Pods). */
export function memberReason(pod: Json): string | undefined {
  const cluster = stringAt(pod, 'cluster.id');
  return cluster === undefined ? undefined : `pod ${labelOf(pod)} is a member of cluster ${cluster}`;
}

/** Fails with refused (5) for a pod of a cluster. */
export function refuseMember(pod: Json): void {
  const reason = memberReason(pod);
  if (reason !== undefined)
    throw new Failure({ code: 'refused', exit: EXIT.refused, message: `${reason}: nothing was sent` });
}
