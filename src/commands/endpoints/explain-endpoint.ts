import type { CommandContext } from '../../cli/context.ts';
import { identify } from '../../cli/resource/identity/identify.ts';
import type { Result } from '../../output/view.ts';
import { ENDPOINTS } from '../shared/collections.ts';
import {
  ENDPOINT_CAUSES,
  ENDPOINT_HEALTHY,
  ENDPOINT_UNKNOWN,
  endpointEvidence,
  factsOf,
  JOBS_FAIL,
} from '../shared/explain/endpoint-causes.ts';
import { readEndpointFacts } from '../shared/explain/endpoint-facts.ts';
import { serviceCauses } from '../shared/explain/service-causes.ts';
import { decide, explained } from '../shared/explain/verdict.ts';

const CAUSES = [...serviceCauses(factsOf), ...ENDPOINT_CAUSES, JOBS_FAIL, ENDPOINT_UNKNOWN, ENDPOINT_HEALTHY];

interface ExplainValues {
  readonly id: string;
  /** Milliseconds. */
  readonly sample: number;
  readonly exitStatus: boolean;
}

/** Reads what decides about an endpoint, and decides. Fails with not-found (4) when there is no such endpoint. */
export async function explainEndpoint(
  ctx: CommandContext,
  { id: word, sample, exitStatus }: ExplainValues,
): Promise<Result> {
  const { id, result: facts } = await identify(ctx, ENDPOINTS, word, (each) => readEndpointFacts(ctx, each, sample));
  return explained(ctx, { endpoint: id }, decide(CAUSES, facts), endpointEvidence(facts), exitStatus);
}
