interface FaultSetting {
  readonly fallback: number;
  readonly minimum: number;
  readonly maximum?: number;
  readonly help: string;
}

export const FAULT_SETTINGS = {
  status: {
    fallback: 503,
    minimum: 400,
    maximum: 599,
    help: 'the status of a server-error, page-error or files-error (default 503)',
  },
  latencyMs: {
    fallback: 1000,
    minimum: 0,
    maximum: 7_200_000,
    help: 'the delay or lag of a kind that has one (default 1s)',
  },
  /** Seconds. */
  retryAfter: { fallback: 1, minimum: 0, help: 'the Retry-After of a rate-limit (default 1s)' },
} as const satisfies Readonly<Record<string, FaultSetting>>;

export type FaultSettingName = keyof typeof FAULT_SETTINGS;

interface FaultKindRow {
  readonly name: string;
  /** Which requests it affects when the fault does not say; every request when absent. */
  readonly match?: string;
  /** Where it takes effect, for a fault of one step of the service. Absent for a fault of any request. */
  readonly strikes?: FaultPoint;
}

/** Where a fault of one step takes effect, in a worker, a list, a pod or the files on volumes. */
export type FaultPoint =
  | 'start'
  | 'take'
  | 'done'
  | 'page'
  | 'next-page'
  | 'pod-start'
  | 'files'
  | 'files-list'
  | 'files-body'
  | 'files-content'
  | 'files-write'
  | 'files-complete';

/** Effects of those without `strikes` are in `src/local/http/faults.ts`. */
export const FAULT_KINDS = [
  { name: 'rate-limit' },
  { name: 'server-error' },
  { name: 'latency' },
  { name: 'drop' },
  { name: 'accept-drop' },
  {
    name: 'low-balance',
    // An account without money cannot start anything, but it can read.
    match: 'POST',
  },
  { name: 'replica-lag', match: 'GET' },
  { name: 'refuse', match: 'POST /v2/pods' },
  { name: 'forbidden', match: 'POST /v2/pods' },
  { name: 'blocked', match: 'POST /v2/pods' },
  { name: 'start-without-gpu', strikes: 'pod-start' },
  { name: 'worker-crash', strikes: 'take' },
  { name: 'worker-oom', strikes: 'take' },
  { name: 'worker-hang', strikes: 'take' },
  { name: 'worker-silent', strikes: 'take' },
  { name: 'worker-slow-start', strikes: 'start' },
  { name: 'worker-failed-start', strikes: 'start' },
  { name: 'done-drop', strikes: 'done' },
  { name: 'done-accept-drop', strikes: 'done' },
  { name: 'page-empty', strikes: 'page' },
  { name: 'page-shift', strikes: 'next-page' },
  { name: 'page-loop', strikes: 'next-page' },
  { name: 'page-no-cursor', strikes: 'page' },
  { name: 'page-error', strikes: 'next-page' },
  { name: 'files-error', strikes: 'files' },
  { name: 'files-denied', strikes: 'files' },
  { name: 'files-clock', strikes: 'files' },
  { name: 'files-slow-list', strikes: 'files-list' },
  { name: 'files-same-token', strikes: 'files-list' },
  { name: 'files-cut', strikes: 'files-body' },
  { name: 'files-full', strikes: 'files-content' },
  { name: 'files-late', strikes: 'files-write' },
  { name: 'files-lost', strikes: 'files-write' },
  { name: 'files-slow-complete', strikes: 'files-complete' },
  { name: 'files-no-complete', strikes: 'files-complete' },
] as const satisfies readonly FaultKindRow[];

type Kind = (typeof FAULT_KINDS)[number];

export type FaultKind = Kind['name'];

export type StepFaultKind = Extract<Kind, { strikes: FaultPoint }>['name'];

export type RequestFaultKind = Exclude<FaultKind, StepFaultKind>;

export const faultPoint = (kind: FaultKind): FaultPoint | undefined => {
  const row: FaultKindRow | undefined = FAULT_KINDS.find(({ name }) => name === kind);
  return row?.strikes;
};

export const defaultMatch = (kind: FaultKind): string | undefined => {
  const row: FaultKindRow | undefined = FAULT_KINDS.find(({ name }) => name === kind);
  return row?.match;
};

/** What a new account of the local service contains: `odd` gives some pods names that are difficult to print. */
export const SEEDS = ['plain', 'odd'] as const;

export type Seed = (typeof SEEDS)[number];
