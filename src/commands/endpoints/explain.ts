import { defineCommand } from '../../cli/command.ts';
import { identify } from '../../cli/resource/identify.ts';
import { arg, option } from '../../cli/parse/params.ts';
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
import { decide, EXIT_STATUS_HELP, explained } from '../shared/explain/verdict.ts';
import { SAMPLE_OPTION } from '../shared/explain/sample.ts';

const CAUSES = [...serviceCauses(factsOf), ...ENDPOINT_CAUSES, JOBS_FAIL, ENDPOINT_UNKNOWN, ENDPOINT_HEALTHY];

/** `berth endpoints explain ENDPOINT`: whether its jobs run, and if not, why. */
export const explain = defineCommand({
  summary: 'say whether an endpoint works, or why it does not and what cures it',
  details:
    'First the verdict, then what was found, each with the request that said it, then the commands that cure it. -o json has them as verdict, code, state, evidence and cure. Ends 0 when it could tell.',
  args: { id: arg.text('endpoint id or name', { metavar: 'ENDPOINT' }) },
  options: { ...SAMPLE_OPTION, exitStatus: option.on(EXIT_STATUS_HELP) },
  examples: [
    ['berth endpoints explain ENDPOINT', 'is it healthy?'],
    [
      'berth endpoints explain ENDPOINT --exit-status --json --jq .code',
      'for a script: the cause, and 10 when blocked',
    ],
  ],
  run: async (ctx, { id, sample, exitStatus }) => {
    const found = await identify(ctx, ENDPOINTS, id, (endpoint) => readEndpointFacts(ctx, endpoint, sample));
    const facts = found.result;
    return explained({ endpoint: found.id }, decide(CAUSES, facts), endpointEvidence(facts), exitStatus);
  },
});
