import type { CommandContext } from '../../cli/model/context.ts';
import { podsRate, rateText } from '../../cli/money/hourly-cost.ts';
import { identify } from '../../cli/resource/identify.ts';
import { rowRequest } from '../../cli/resource/requests.ts';
import { findStock, noStockSentence, type StockFinding, stockText, wantedByPod } from '../explain/stock.ts';
import {
  type Cause,
  couldNotTell,
  decide,
  evidence,
  type Evidence,
  explained,
  type Fact,
  isReason,
  readFact,
  readLastLine,
  serviceCauses,
  unreadEvidence,
  valueOf,
} from '../explain/verdict.ts';
import { guardCommand } from '../guard/last-run.ts';
import { openPorts } from './pod-cells.ts';
import { isReachable } from './reachable.ts';
import { PODS } from './resource.ts';
import { readRequest } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import type { Id } from '../../core/ids.ts';
import { itemsAt, memberAt, numberAt, stringAt } from '../../core/json.ts';
import { berth, type CommandLine, sentence } from '../../core/message.ts';
import { type EpochMs, type Milliseconds, MINUTE_MS } from '../../core/unit-types.ts';
import { formatDuration } from '../../core/units.ts';
import { deadlineText, nextDeadline, waitingDeadline, waitingText } from '../../guard/deadline.ts';
import { exemptionOf } from '../../guard/decide.ts';
import { text } from '../../output/cells.ts';
import type { Result } from '../../output/view.ts';

interface PodFacts {
  readonly id: string;
  readonly pod: Fact;
  readonly system?: Fact<string | undefined> | undefined;
  readonly container?: Fact<string | undefined> | undefined;
  readonly catalog?: Fact | undefined;
  /** The service's time. */
  readonly now: EpochMs;
}

const SLOW_ALLOCATION_MS: Milliseconds = 5 * MINUTE_MS;
const SLOW_START_MS = 10 * MINUTE_MS;

const statusOf = ({ pod }: Pick<PodFacts, 'pod'>): string => stringAt(valueOf(pod), 'status') ?? '?';

const factsOf = ({ pod, system, container, catalog }: PodFacts): readonly (Fact<unknown> | undefined)[] => [
  pod,
  system,
  container,
  catalog,
];

/** Undefined if the pod has run before. */
function startingMs({ pod, now }: PodFacts): Milliseconds | undefined {
  const started = memberAt(valueOf(pod), 'startedAt');
  const created = Date.parse(stringAt(valueOf(pod), 'createdAt') ?? '');
  return typeof started === 'string' || Number.isNaN(created) ? undefined : Math.max(0, now - created);
}

const lastLine = (facts: PodFacts): string | undefined => valueOf(facts.container) ?? valueOf(facts.system);
const logs = ({ id }: PodFacts): CommandLine => berth`pods logs ${id}`;

const saying = (line: string | undefined): string => (line === undefined ? '' : `: ${line}`);

function stillCosting({ pod }: PodFacts): string {
  const rate = podsRate([valueOf(pod) ?? null]);
  return rate.total === 0 ? '' : `, and goes on costing ${rateText(rate)}`;
}

function stockOf({ pod, catalog }: PodFacts): StockFinding | undefined {
  const [known, rows] = [valueOf(pod), valueOf(catalog)];
  const wanted = known === undefined ? undefined : wantedByPod(known);
  if (wanted === undefined || rows === undefined) return undefined;
  const dataCenter = stringAt(known, 'dataCenterId');
  return findStock(wanted, rows, dataCenter === undefined ? undefined : [dataCenter]);
}

function guardOfOverdue({ pod, now }: PodFacts): readonly CommandLine[] {
  const next = nextDeadline(valueOf(pod) ?? null);
  const isOverdue = next !== undefined && next.at <= now && exemptionOf(valueOf(pod) ?? null, now) === undefined;
  return isOverdue ? [guardCommand(next.action === 'terminate')] : [];
}

const slow = (code: string, status: string, limitMs: Milliseconds, what: string): Cause<PodFacts> => ({
  code,
  state: 'waiting',
  find: (facts) => {
    const since = startingMs(facts);
    if (statusOf(facts) !== status || since === undefined || since < limitMs) return undefined;
    return {
      verdict: `${what} for ${formatDuration(since)}${saying(valueOf(facts.system))}`,
      cure: [logs(facts), berth`pods terminate ${facts.id}`],
    };
  },
});

/** In order of precedence; the last one always applies. */
const POD_CAUSES: readonly Cause<PodFacts>[] = [
  ...serviceCauses((facts: PodFacts) => [facts.pod]),
  {
    code: 'unknown',
    state: 'waiting',
    find: ({ pod }) => (pod.known ? undefined : couldNotTell(pod)),
  },
  {
    code: 'terminated',
    state: 'blocked',
    find: (facts) =>
      statusOf(facts) === 'TERMINATED'
        ? {
            verdict: 'terminated: it is deleted for good; network volumes are kept',
            cure: [sentence`create another one: ${berth`pods create`}`],
          }
        : undefined,
  },
  {
    code: 'crash',
    state: 'blocked',
    find: (facts) =>
      statusOf(facts) === 'ERROR'
        ? {
            verdict: `the container does not run${stillCosting(facts)}${saying(lastLine(facts))}`,
            cure: [
              logs(facts),
              // Without a value: pasting it changes nothing.
              sentence`give it another image: ${berth`pods update ${facts.id} --image`}, with the image to use`,
              berth`pods start ${facts.id} --wait`,
              berth`pods terminate ${facts.id}`,
            ],
          }
        : undefined,
  },
  {
    code: 'stopped',
    state: 'blocked',
    find: (facts) =>
      statusOf(facts) === 'EXITED'
        ? {
            verdict: 'stopped: it runs again once it is started',
            cure: [berth`pods start ${facts.id} --wait`],
          }
        : undefined,
  },
  {
    code: 'no-stock',
    state: 'blocked',
    find: (facts) => {
      const stock = stockOf(facts);
      if (statusOf(facts) !== 'PROVISIONING' || stock === undefined || stock.here.length > 0) return undefined;
      const gpu = stringAt(valueOf(facts.pod), 'gpu.id');
      return {
        verdict: noStockSentence(stock),
        cure: [berth`catalog ${gpu === undefined ? 'cpus' : 'gpus'} --available`, berth`pods terminate ${facts.id}`],
      };
    },
  },
  slow('slow-allocation', 'PROVISIONING', SLOW_ALLOCATION_MS, 'no machine'),
  slow('slow-start', 'STARTING', SLOW_START_MS, 'starting'),
  {
    code: 'healthy',
    state: 'ok',
    find: (facts) => {
      const uptime = numberAt(valueOf(facts.pod), 'runtime.uptime');
      switch (statusOf(facts)) {
        case 'PROVISIONING':
          return { verdict: `healthy: it is being given a machine${saying(valueOf(facts.system))}` };
        case 'STARTING':
          return { verdict: `healthy: its container starts${saying(valueOf(facts.system))}` };
        case 'RUNNING':
          return isReachable(valueOf(facts.pod) ?? null)
            ? {
                verdict: `healthy: it runs${uptime === undefined ? '' : `, for ${formatDuration(uptime * 1000)}`}`,
                cure: guardOfOverdue(facts),
              }
            : {
                verdict: 'healthy: it runs, and its ports are not reachable yet',
                cure: [berth`pods wait ${facts.id}`],
                state: 'waiting',
              };
        default:
          return undefined;
      }
    },
  },
  {
    code: 'unknown',
    state: 'waiting',
    find: (facts) => ({
      verdict: `could not tell: the status ${statusOf(facts)} is not known to berth`,
      exit: EXIT.bug,
    }),
  },
];

function podEvidence(facts: PodFacts): readonly Evidence[] {
  const { pod, system, container, catalog } = facts;
  const stock = stockOf(facts);
  const since = startingMs(facts);
  return [
    ...evidence('status', pod, () => statusOf(facts)),
    ...evidence('created', pod, () => (since === undefined ? undefined : `${formatDuration(since)} ago`)),
    ...evidence('cost', pod, (value) => {
      const rate = podsRate([value]);
      return rate.unknown.length > 0 ? undefined : rateText(rate);
    }),
    ...evidence('deadline', pod, (value) => {
      const [next, waiting] = [nextDeadline(value), waitingDeadline(value)];
      return next === undefined ? waiting && waitingText(waiting.action, waiting.given) : deadlineText(next, facts.now);
    }),
    ...evidence('open ports', pod, (value) => openPorts(value).join(', ') || undefined),
    ...evidence('gpu use', pod, (value) => {
      const gpus = itemsAt(value, 'runtime.gpus');
      return gpus.length === 0 ? undefined : gpus.map((gpu) => `${text('util')(gpu)}%`).join(', ');
    }),
    ...evidence(stock?.name ?? 'hardware', stock === undefined ? undefined : catalog, () =>
      stock === undefined ? undefined : stockText(stock),
    ),
    ...evidence('last system line', system, (line) => line),
    ...evidence('last container line', container, (line) => line),
    ...unreadEvidence(factsOf(facts)),
  ];
}

/** Fails with not-found (4). */
export async function explainPod(ctx: CommandContext, word: string, exitStatus: boolean): Promise<Result> {
  const { id: pod, result: facts } = await identify(ctx, PODS, word, (each) => readPodFacts(ctx, each));
  return explained(ctx, { pod }, decide(POD_CAUSES, facts), podEvidence(facts), exitStatus);
}

/** Log and stock only if the pod does not run. Fails as the pod request, unless that failure is the reason. */
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
