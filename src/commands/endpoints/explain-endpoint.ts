import type { CommandContext } from '../../cli/model/context.ts';
import { identify } from '../../cli/resource/identity/identify.ts';
import { listRequest } from '../../cli/resource/identity/requests.ts';
import { itemsAt } from '../../core/json.ts';
import { idOf, type Result } from '../../output/view.ts';
import { ENDPOINTS } from '../shared/collections.ts';
import {
  BUILD_FAILED,
  ENDPOINT_CAUSES,
  ENDPOINT_HEALTHY,
  ENDPOINT_UNKNOWN,
  endpointEvidence,
  factsOf,
  JOBS_FAIL,
} from '../shared/explain/endpoint-causes.ts';
import { readEndpointFacts, rowsOf, type EndpointFacts } from '../shared/explain/endpoint-facts.ts';
import { readFact, valueOf } from '../shared/explain/facts.ts';
import { serviceCauses } from '../shared/explain/service-causes.ts';
import { decide, evidence, explained, unreadEvidence, type Evidence } from '../shared/explain/verdict.ts';
import { rateOf, rateWithUnknown } from '../shared/rate/hourly-cost.ts';
import { priceCatalog } from '../shared/rate/worker-price.ts';
import type { Milliseconds } from '../../core/unit-types.ts';

const CAUSES = [
  BUILD_FAILED,
  ...serviceCauses(factsOf),
  ...ENDPOINT_CAUSES,
  JOBS_FAIL,
  ENDPOINT_UNKNOWN,
  ENDPOINT_HEALTHY,
];

interface ExplainValues {
  readonly id: string;
  readonly sample: Milliseconds;
  readonly exitStatus: boolean;
}

/** Reads what decides about an endpoint, and decides. Fails with not-found (4) when there is no such endpoint. */
export async function explainEndpoint(
  ctx: CommandContext,
  { id: word, sample, exitStatus }: ExplainValues,
): Promise<Result> {
  const { id, result: facts } = await identify(ctx, ENDPOINTS, word, (each) => readEndpointFacts(ctx, each, sample));
  const found = [...(await costEvidence(ctx, facts)), ...endpointEvidence(facts)];
  return explained(ctx, { endpoint: id }, decide(CAUSES, facts), found, exitStatus);
}

/** What the workers of an endpoint cost now. The catalog with their prices is requested only where there are workers. */
async function costEvidence(ctx: CommandContext, { endpoint, workers }: EndpointFacts): Promise<readonly Evidence[]> {
  if (!endpoint.known || !workers.known) return [];
  const [catalog, rows] = [priceCatalog(endpoint.value), rowsOf(workers)];
  const prices = rows.length === 0 ? undefined : await readFact(ctx, listRequest(catalog));
  const priced = itemsAt(valueOf(prices), catalog.member);
  const rate = rateOf(
    {
      pods: [],
      volumes: [],
      endpoints: [endpoint.value],
      workers: new Map([[idOf(endpoint.value), rows]]),
      gpus: priced,
      cpus: priced,
    },
    ['workers'],
  );
  return [
    ...evidence('cost of workers', prices?.known === true ? prices : workers, () => rateWithUnknown(rate)),
    ...unreadEvidence([prices]),
  ];
}
