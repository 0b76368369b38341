import { operation } from '../../contract/operation.ts';
import { logStream } from '../log-stream.ts';
import type { Call, Operation } from '../../frame/operation.ts';
import { conflict, notFound } from '../../contract/problem.ts';
import type { State } from '../../state/state.ts';
import { bodyOf } from '../../frame/validate.ts';
import { createPod, updatePod, type CreatePodBody, type UpdatePodBody } from './configure.ts';
import { podDocument } from './document.ts';
import { podLines } from './logs.ts';
import type { PodRecord } from '../../model/pods/record.ts';
import { act, type PodAction } from './transitions.ts';

function find(state: State, call: Call): PodRecord {
  const id = call.params['id'] ?? '';
  const pod = state.pods[id];
  if (pod === undefined) throw notFound('pod not found');
  return pod;
}

function refuseMember(pod: PodRecord): void {
  if (pod.cluster !== undefined) throw conflict(`the pod is a member of cluster ${pod.cluster.id}`);
}

/** Pods: their lifecycle (specification 2.1 to 2.3, 3.1; contract rules, Pods). A terminated pod can still be read. */
export const podOperations: readonly Operation[] = [
  operation('listPods', async (call) => {
    const members = call.query.get('includeClusterPods') === 'true';
    return {
      status: 200,
      body: {
        pods: await call.transact((state, now) =>
          Object.values(state.pods)
            .filter((pod) => pod.life.kind !== 'terminated' && (members || pod.cluster === undefined))
            .map((pod) => podDocument(pod, now)),
        ),
      },
    };
  }),
  operation('createPod', async (call) => {
    const body = bodyOf(call) as CreatePodBody;
    return {
      status: 201,
      body: await call.transact((state, now) => podDocument(createPod(state, now, body), now)),
    };
  }),
  operation('getPod', async (call) => ({
    status: 200,
    body: await call.transact((state, now) => podDocument(find(state, call), now)),
  })),
  operation('updatePod', async (call) => {
    const body = bodyOf(call) as UpdatePodBody;
    return {
      status: 200,
      body: await call.transact((state, now) => {
        const pod = find(state, call);
        refuseMember(pod);
        if (pod.life.kind === 'terminated') throw conflict('a pod that is TERMINATED cannot be changed');
        updatePod(state, pod, body, now);
        return podDocument(pod, now);
      }),
    };
  }),
  operation('deletePod', async (call) => {
    await call.transact((state, now) => {
      const pod = find(state, call);
      if (pod.life.kind === 'terminated') throw notFound('pod not found');
      refuseMember(pod);
      act(pod, 'terminate', now);
    });
    return { status: 204 };
  }),
  operation('getPodLogs', (call) =>
    logStream(call, {
      begin: (state) => find(state, call).createdAt,
      lines: (state, from, to) => {
        const pod = state.pods[call.params['id'] ?? ''];
        return pod === undefined ? [] : podLines(pod, from, to);
      },
    }),
  ),
  operation('podAction', async (call) => {
    const { action } = bodyOf(call) as { action: PodAction };
    const pod = await call.transact((state, now) => {
      const found = find(state, call);
      if (action === 'terminate') refuseMember(found);
      act(found, action, now);
      return podDocument(found, now);
    });
    return action === 'terminate' ? { status: 204 } : { status: 200, body: pod };
  }),
];
