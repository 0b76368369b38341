import type { Id } from '../../../core/ids.ts';
import type { CommandContext } from '../../../cli/context.ts';
import { defineCommand } from '../../../cli/command.ts';
import { identify } from '../../../cli/resource/identify.ts';
import { arg, option } from '../../../cli/parse/params.ts';
import { readFact, readLastLine, valueOf } from '../../shared/explain/facts.ts';
import { isReason } from '../../shared/explain/service-causes.ts';
import { wantedByPod } from '../../shared/explain/stock.ts';
import { decide, EXIT_STATUS_HELP, explained } from '../../shared/explain/verdict.ts';
import { PODS } from '../resource.ts';
import { POD_CAUSES, podEvidence, statusOf, type PodFacts } from './causes.ts';

/** `berth pods explain POD`: whether a pod runs, and if not, why. */
export const explain = defineCommand({
  summary: 'say whether a pod runs, or why it does not and what cures it',
  details:
    'First the verdict, then what was found, each with the request that said it, then the commands that cure it. -o json has them as verdict, code, state, evidence and cure. Ends 0 when it could tell.',
  args: { id: arg.text('pod id or name', { metavar: 'POD' }) },
  options: { exitStatus: option.on(EXIT_STATUS_HELP) },
  examples: [['berth pods explain POD', 'why is it in ERROR, or why does it not start?']],
  run: async (ctx, { id, exitStatus }) => {
    const { id: pod, result: facts } = await identify(ctx, PODS, id, (each) => readPodFacts(ctx, each));
    return explained({ pod }, decide(POD_CAUSES, facts), podEvidence(facts), exitStatus);
  },
});

/**
 * Reads the pod and, unless it runs, the last lines of its log and the stock of its hardware. Fails as the request for
 * the pod does, unless that failure is a reason itself.
 */
async function readPodFacts(ctx: CommandContext, id: Id<'pod'>): Promise<PodFacts> {
  const path = [...PODS.path, id];
  const pod = await readFact(ctx, { service: 'base', method: 'GET', path, id });
  if (!pod.known && !isReason(pod)) throw pod.failure;
  const status = statusOf({ pod });
  const first = { id, pod, now: ctx.serviceNow() };
  if (!pod.known || status === 'RUNNING' || status === 'TERMINATED') return first;
  const lastLine = (source: string) =>
    readLastLine(ctx, { service: 'base', method: 'GET', path: [...path, 'logs'], query: { source } });
  const wanted = status === 'PROVISIONING' ? wantedByPod(valueOf(pod) ?? null) : undefined;
  const [system, container, catalog] = await Promise.all([
    lastLine('system'),
    status === 'ERROR' ? lastLine('container') : undefined,
    wanted === undefined ? undefined : readFact(ctx, wanted.request),
  ]);
  return { ...first, system, container, catalog };
}
