import type { Id } from '../../core/ids.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { identify } from '../../cli/resource/identify.ts';
import { listRequest } from '../../cli/resource/requests.ts';
import { itemsAt } from '../../core/json.ts';
import { berth } from '../../core/message.ts';
import { isRunning } from '../../queue/job-status.ts';
import { statusRequest } from '../../queue/requests.ts';
import { idOf, type Result } from '../../output/view.ts';
import { ENDPOINTS } from '../../cli/resource/collections.ts';
import {
  BUILD_FAILED,
  ENDPOINT_CAUSES,
  ENDPOINT_HEALTHY,
  ENDPOINT_UNKNOWN,
  endpointEvidence,
  factsOf,
  JOBS_FAIL,
} from '../explain/endpoint-causes.ts';
import {
  type EndpointFacts,
  jobCount,
  readEndpointFacts,
  readWorkerNotes,
  rowsOf,
  saysNoResult,
  type WorkerNotes,
} from '../explain/endpoint-facts.ts';
import {
  type Cause,
  decide,
  evidence,
  type Evidence,
  explained,
  readFact,
  serviceCauses,
  unreadEvidence,
  valueOf,
} from '../explain/verdict.ts';
import { priceCatalog, rateOf, rateWithUnknown } from '../../cli/money/hourly-cost.ts';
import type { Milliseconds } from '../../core/unit-types.ts';

interface Facts extends EndpointFacts {
  readonly lost: readonly LostResult[];
}

interface LostResult {
  readonly job: string;
  readonly note: WorkerNotes[number];
}

const NO_RESULT: Cause<Facts> = {
  code: 'no-result',
  state: 'blocked',
  find: ({ id, lost: [first] }) =>
    first === undefined
      ? undefined
      : {
          verdict: `a worker does not report the result of job ${first.job}: ${valueOf(first.note.line) ?? ''}`,
          cure: [berth`endpoints logs ${id} ${first.note.worker}`, berth`jobs cancel ${id} ${first.job}`],
        },
};

const CAUSES: readonly Cause<Facts>[] = [
  BUILD_FAILED,
  ...serviceCauses(factsOf),
  ...ENDPOINT_CAUSES,
  NO_RESULT,
  JOBS_FAIL,
  ENDPOINT_UNKNOWN,
  ENDPOINT_HEALTHY,
];

interface ExplainValues {
  readonly id: string;
  readonly sample: Milliseconds;
  readonly exitStatus: boolean;
}

/** Not-found (4) when there is no such endpoint. */
export async function explainEndpoint(
  ctx: CommandContext,
  { id: word, sample, exitStatus }: ExplainValues,
): Promise<Result> {
  const { id, result: facts } = await identify(ctx, ENDPOINTS, word, (each) => readEndpointFacts(ctx, each, sample));
  const [cost, lost] = await Promise.all([
    costEvidence(ctx, facts),
    jobCount(facts, 'inProgress') === 0 ? [] : readLost(ctx, id, facts),
  ]);
  const notes = lost.flatMap(({ note }) => evidence('worker log', note.line, (line) => line));
  const found = [...cost, ...notes, ...endpointEvidence(facts)];
  return explained(ctx, { endpoint: id }, decide(CAUSES, { ...facts, lost }), found, exitStatus);
}

/** By the logs of busy workers. A line may be about a job that has ended since. */
async function readLost(ctx: CommandContext, id: Id<'endpoint'>, facts: EndpointFacts): Promise<readonly LostResult[]> {
  const notes = await readWorkerNotes(ctx, facts, saysNoResult);
  const found = notes.flatMap((note): LostResult[] => {
    const job = /\bjob (\S+?)(?=[,;:.]?(\s|$))/.exec(valueOf(note.line) ?? '')?.[1];
    return job === undefined ? [] : [{ job, note }];
  });
  const jobs = await Promise.all(found.map(({ job }) => readFact(ctx, statusRequest(id, job))));
  return found.filter((_, at) => isRunning(valueOf(jobs[at])));
}

/** Requests the catalog only if there are workers. */
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
