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
  retryAfter: { fallback: 1, minimum: 0, help: 'the Retry-After of a rate-limit (default 1s)' },
} as const;

export type FaultSettingName = keyof typeof FAULT_SETTINGS;

/** Faults of a request, and which one each affects when the fault does not say it: every one, or `match`. */
const OF_REQUESTS = {
  'rate-limit': undefined,
  'server-error': undefined,
  latency: undefined,
  drop: undefined,
  'accept-drop': undefined,
  'low-balance': 'POST',
  'replica-lag': 'GET',
  refuse: 'POST /v2/pods',
  forbidden: 'POST /v2/pods',
  blocked: 'POST /v2/pods',
};

/** Faults of one step in a worker, a list, a pod or the files on volumes, and where each takes effect. */
const OF_STEPS = {
  'start-without-gpu': 'pod-start',
  'worker-crash': 'take',
  'worker-oom': 'take',
  'worker-hang': 'take',
  'worker-silent': 'take',
  'worker-slow-start': 'start',
  'worker-failed-start': 'start',
  'done-drop': 'done',
  'done-accept-drop': 'done',
  'page-empty': 'page',
  'page-shift': 'next-page',
  'page-loop': 'next-page',
  'page-no-cursor': 'page',
  'page-error': 'next-page',
  'files-error': 'files',
  'files-denied': 'files',
  'files-clock': 'files',
  'files-slow-list': 'files-list',
  'files-same-token': 'files-list',
  'files-cut': 'files-body',
  'files-full': 'files-content',
  'files-late': 'files-write',
  'files-lost': 'files-write',
  'files-slow-complete': 'files-complete',
  'files-no-complete': 'files-complete',
} as const;

export type RequestFaultKind = keyof typeof OF_REQUESTS;
export type StepFaultKind = keyof typeof OF_STEPS;
export type FaultKind = RequestFaultKind | StepFaultKind;
export type FaultPoint = 'request' | (typeof OF_STEPS)[StepFaultKind];

export const FAULT_KINDS = Object.keys({ ...OF_REQUESTS, ...OF_STEPS }) as readonly FaultKind[];

export const faultPoint = (kind: FaultKind): FaultPoint =>
  (OF_STEPS as Partial<Record<FaultKind, FaultPoint>>)[kind] ?? 'request';

export const defaultMatch = (kind: FaultKind): string | undefined =>
  (OF_REQUESTS as Partial<Record<FaultKind, string | undefined>>)[kind];

/** What a new account of the local service contains: `odd` gives some pods names that are difficult to print. */
export const SEEDS = ['plain', 'odd'] as const;
export type Seed = (typeof SEEDS)[number];
