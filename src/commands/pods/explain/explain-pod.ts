import type { Id } from '../../../core/ids.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { identify } from '../../../cli/resource/identity/identify.ts';
import type { Result } from '../../../output/view.ts';
import { readFact, readLastLine, valueOf } from '../../shared/explain/facts.ts';
import { isReason } from '../../shared/explain/service-causes.ts';
import { wantedByPod } from '../../shared/explain/stock.ts';
import { decide, explained } from '../../shared/explain/verdict.ts';
import { PODS } from '../pod/resource.ts';
import { POD_CAUSES, podEvidence, statusOf, type PodFacts } from './causes.ts';
import { rowRequest } from '../../../cli/resource/identity/requests.ts';
import { readRequest } from '../../../core/api.ts';

/** Reads what decides about a pod, and decides. Fails with not-found (4) when there is no such pod. */
export async function explainPod(ctx: CommandContext, word: string, exitStatus: boolean): Promise<Result> {
  const { id: pod, result: facts } = await identify(ctx, PODS, word, (each) => readPodFacts(ctx, each));
  return explained(ctx, { pod }, decide(POD_CAUSES, facts), podEvidence(facts), exitStatus);
}

/**
 * Reads the pod and, unless it runs, the last lines of its log and the stock of its hardware. Fails as the request for
 * the pod does, unless that failure is a reason itself.
 */
async function readPodFacts(ctx: CommandContext, id: Id<'pod'>): Promise<PodFacts> {
  const pod = await readFact(ctx, rowRequest(PODS, id));
  if (!pod.known && !isReason(pod)) throw pod.failure;
  const status = statusOf({ pod });
  const first = { id, pod, now: ctx.serviceNow() };
  if (!pod.known || status === 'RUNNING' || status === 'TERMINATED') return first;
  const lastLine = (source: string) =>
    readLastLine(ctx, readRequest([...PODS.path, id, 'logs'], { query: { source } }));
  const wanted = status === 'PROVISIONING' ? wantedByPod(valueOf(pod) ?? null) : undefined;
  const [system, container, catalog] = await Promise.all([
    lastLine('system'),
    status === 'ERROR' ? lastLine('container') : undefined,
    wanted === undefined ? undefined : readFact(ctx, wanted.request),
  ]);
  return { ...first, system, container, catalog };
}
