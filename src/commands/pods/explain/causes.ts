import { MINUTE_MS } from '../../../core/durations.ts';
import { EXIT } from '../../../core/exit-codes.ts';
import { itemsAt, memberAt, numberAt, stringAt } from '../../../core/json.ts';
import { formatDuration } from '../../../core/units.ts';
import type { EpochMs, Milliseconds } from '../../../core/unit-types.ts';
import { berth, type CommandLine, sentence } from '../../../core/message.ts';
import { text } from '../../../output/cells/cell-functions.ts';
import { isReachable } from '../pod/reachable.ts';
import { openPorts } from '../pod/show.ts';
import { valueOf, type Fact } from '../../shared/explain/facts.ts';
import { couldNotTell, serviceCauses } from '../../shared/explain/service-causes.ts';
import { deadlineText, nextDeadline, waitingDeadline, waitingText } from '../../../guard/deadline.ts';
import { exemptionOf } from '../../../guard/decide.ts';
import { guardCommand } from '../../guard/last-run.ts';
import { podsRate, rateText } from '../../shared/rate/hourly-cost.ts';
import { findStock, noStockSentence, stockText, wantedByPod, type StockFinding } from '../../shared/explain/stock.ts';
import { evidence, unreadEvidence, type Cause, type Evidence } from '../../shared/explain/verdict.ts';

/** What is known of a pod. A fact that was not needed is absent. */
export interface PodFacts {
  readonly id: string;
  readonly pod: Fact;
  /** The last lines of its log: of the system around the container, and of the container. */
  readonly system?: Fact<string | undefined> | undefined;
  readonly container?: Fact<string | undefined> | undefined;
  /** The catalog, while the pod has no machine yet. */
  readonly catalog?: Fact | undefined;
  /** The service's time. */
  readonly now: EpochMs;
}

/** A pod that needs longer than this for a step of its start is slow. */
const SLOW_ALLOCATION_MS: Milliseconds = 5 * MINUTE_MS;
const SLOW_START_MS = 10 * MINUTE_MS;

export const statusOf = ({ pod }: Pick<PodFacts, 'pod'>): string => stringAt(valueOf(pod), 'status') ?? '?';

const factsOf = ({ pod, system, container, catalog }: PodFacts): readonly (Fact<unknown> | undefined)[] => [
  pod,
  system,
  container,
  catalog,
];

/** Since when the pod starts for the first time; undefined where it has run before. */
function startingMs({ pod, now }: PodFacts): Milliseconds | undefined {
  const started = memberAt(valueOf(pod), 'startedAt');
  const created = Date.parse(stringAt(valueOf(pod), 'createdAt') ?? '');
  return typeof started === 'string' || Number.isNaN(created) ? undefined : Math.max(0, now - created);
}

const lastLine = (facts: PodFacts): string | undefined => valueOf(facts.container) ?? valueOf(facts.system);
const logs = ({ id }: PodFacts): CommandLine => berth`pods logs ${id}`;

/** `: still pulling the image`, or nothing. */
const saying = (line: string | undefined): string => (line === undefined ? '' : `: ${line}`);

/** A pod in ERROR keeps its machine. */
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

/** The guard that keeps the deadline of a pod which is overdue; none where no guard touches the pod. */
function guardOfOverdue({ pod, now }: PodFacts): readonly CommandLine[] {
  const next = nextDeadline(valueOf(pod) ?? null);
  const isOverdue = next !== undefined && next.at <= now && exemptionOf(valueOf(pod) ?? null, now) === undefined;
  return isOverdue ? [guardCommand(next.action === 'terminate')] : [];
}

/** A pod that takes longer than usual for a step of its start. */
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

/** Why a pod does not run, in order. The last one always applies. */
export const POD_CAUSES: readonly Cause<PodFacts>[] = [
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
              // Without its value, so that a paste of it changes nothing.
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

/** What was found about a pod. */
export function podEvidence(facts: PodFacts): readonly Evidence[] {
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
