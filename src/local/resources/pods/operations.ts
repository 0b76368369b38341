import { pageOf } from '../../http/requests/pages.ts';
import { logStream } from '../logs/log-stream.ts';
import { isTooNew, noContent, operation, reply, type Call, type Operation } from '../../http/call/operation.ts';
import { isPodKey } from '../../http/requests/auth.ts';
import { badRequest, conflict, forbidden, NO_ROOM, notFound } from '../../contract/problem.ts';
import type { State } from '../../state/state.ts';
import { bodyOf } from '../../http/requests/validate.ts';
import { isTaken } from '../../model/catalog/stock.ts';
import { pods } from '../../model/pods/seed.ts';
import { bootNote, createPod, updatePod, type CreatePodBody, type UpdatePodBody } from './configure.ts';
import { checkCreateSize } from './create-size.ts';
import { podDocument } from './document.ts';
import { podLines } from './logs.ts';
import type { PodRecord } from '../../model/pods/record.ts';
import { ACTIONS, applyAction, statusAt, type PodAction } from './transitions.ts';
import type { EpochMs } from '../../../core/unit-types.ts';

/** A terminated pod is found no more (additions 6). */
function find(state: State, call: Call, now: EpochMs): PodRecord {
  const id = call.params['id'] ?? '';
  const pod = pods.get(state, id);
  if (pod === undefined || pod.life.kind === 'terminated' || isTooNew(pod.createdAt, call, now))
    throw notFound('pod not found');
  return pod;
}

function checkNotClusterMember(pod: PodRecord): void {
  if (pod.cluster !== undefined) throw conflict(`the pod is a member of cluster ${pod.cluster.id}`);
}

/** A pod keeps its machine, whose GPUs others may have taken: throws the 400 Problem (additions 3). */
function checkFreeGpus(state: State, pod: PodRecord, now: EpochMs): void {
  const { gpu, dataCenterId } = pod;
  if (!ACTIONS[statusAt(pod, now)].includes('start')) return;
  if (gpu !== undefined && isTaken(state, gpu.id, dataCenterId, gpu.count)) throw badRequest(NO_ROOM.host);
}

/** Pods (specification 2.1 to 2.3, 3.1; contract rules, Pods). */
export const podOperations: readonly Operation[] = [
  operation(
    'listPods',
    reply(200, (state, call, now) => {
      const present = pods
        .all(state)
        .filter((pod) => pod.life.kind !== 'terminated' && !isTooNew(pod.createdAt, call, now));
      const { rows, pagination } = pageOf(state, call, present);
      // Members leave the page after it was cut: it may be short, or empty, with more to come.
      const includeMembers = call.query.get('includeClusterPods') === 'true';
      const listed = includeMembers ? rows : rows.filter(({ cluster }) => cluster === undefined);
      return { pods: listed.map((pod) => podDocument(pod, now, call.addressOf)), pagination };
    }),
  ),
  operation(
    'createPod',
    reply(201, (state, call, now) =>
      podDocument(createPod(state, now, bodyOf(call) as CreatePodBody, call.settings), now, call.addressOf),
    ),
    { checkSize: checkCreateSize },
  ),
  operation(
    'getPod',
    reply(200, (state, call, now) => podDocument(find(state, call, now), now, call.addressOf)),
  ),
  operation(
    'updatePod',
    reply(200, (state, call, now) => {
      const pod = find(state, call, now);
      checkNotClusterMember(pod);
      updatePod(state, pod, bodyOf(call) as UpdatePodBody, now, call.settings);
      return podDocument(pod, now, call.addressOf);
    }),
  ),
  operation(
    'deletePod',
    noContent((state, call, now) => {
      const pod = find(state, call, now);
      checkNotClusterMember(pod);
      applyAction(pod, 'terminate', now);
    }),
  ),
  operation('getPodLogs', (call) =>
    logStream(call, {
      begin: (state, now) => find(state, call, now).createdAt,
      lines: (state, from, to) => {
        const pod = pods.get(state, call.params['id'] ?? '');
        return pod === undefined ? [] : podLines(pod, from, to);
      },
    }),
  ),
  operation('podAction', async (call) => {
    const { action } = bodyOf(call) as { action: PodAction };
    // The key of a pod stops it and nothing else.
    if (isPodKey(call.keyId) && action !== 'stop') throw forbidden();
    const pod = await call.transact((state, now) => {
      const found = find(state, call, now);
      if (action === 'terminate') checkNotClusterMember(found);
      if (action === 'start') checkFreeGpus(state, found, now);
      applyAction(found, action, now, bootNote(state, call.settings, found));
      if (action === 'start') {
        delete found.withoutGpu;
        if (call.takeFault(state, ['pod-start']) !== undefined) found.withoutGpu = true;
      }
      return podDocument(found, now, call.addressOf);
    });
    return action === 'terminate' ? { status: 204 } : { status: 200, body: pod };
  }),
];
