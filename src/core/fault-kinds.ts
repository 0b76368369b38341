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
    help: 'the delay of latency, worker-slow-start, files-slow-list, files-slow-complete and files-late, the lag of replica-lag, how far files-clock is off (default 1s)',
  },
  /** Seconds. */
  retryAfter: { fallback: 1, minimum: 0, help: 'the Retry-After of a rate-limit (default 1s)' },
} as const satisfies Readonly<Record<string, FaultSetting>>;

export type FaultSettingName = keyof typeof FAULT_SETTINGS;

interface FaultKindRow {
  readonly name: string;
  /** What it does, for the help of `berth local fault add`, when the name does not say it. */
  readonly details?: string;
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

/** Effects of those without `strikes` are in `src/local/http/faults/fault-effects.ts`. */
export const FAULT_KINDS = [
  { name: 'rate-limit' },
  { name: 'server-error' },
  { name: 'latency' },
  { name: 'drop', details: 'drop closes the connection before the request is processed.' },
  { name: 'accept-drop', details: 'accept-drop processes the request and closes the connection without an answer.' },
  {
    name: 'low-balance',
    details: 'low-balance answers 402 to every POST, or to what --match says.',
    // An account without money cannot start anything, but it can read.
    match: 'POST',
  },
  {
    name: 'replica-lag',
    details:
      'replica-lag answers reads from a replica that lags by --latency: a job, pod, cluster, endpoint or volume that is younger than that is not there.',
    match: 'GET',
  },
  {
    name: 'refuse',
    details: 'refuse answers 400 to a create or an action of a pod: there is no room, or the text of --detail.',
    match: 'POST /v2/pods',
  },
  {
    name: 'forbidden',
    details: 'forbidden answers 403 to it: the account may not use this pool.',
    match: 'POST /v2/pods',
  },
  {
    name: 'blocked',
    details: 'blocked answers the 403 page of a network in front of the service.',
    match: 'POST /v2/pods',
  },
  { name: 'start-without-gpu', strikes: 'pod-start', details: 'start-without-gpu starts a pod without its GPUs.' },
  { name: 'worker-crash', strikes: 'take', details: 'worker-crash kills a worker in the middle of a job.' },
  { name: 'worker-oom', strikes: 'take', details: 'worker-oom does the same as if memory had run out.' },
  { name: 'worker-hang', strikes: 'take', details: 'worker-hang makes a job run without end.' },
  {
    name: 'worker-silent',
    strikes: 'take',
    details: 'worker-silent loses the pings of a worker with a job.',
  },
  { name: 'worker-slow-start', strikes: 'start', details: 'worker-slow-start starts a worker late.' },
  { name: 'worker-failed-start', strikes: 'start', details: 'worker-failed-start ends a worker as it starts.' },
  {
    name: 'done-drop',
    strikes: 'done',
    details: 'done-drop closes the connection before the result of a job counts, done-accept-drop after it.',
  },
  { name: 'done-accept-drop', strikes: 'done' },
  { name: 'page-empty', strikes: 'page', details: 'page-empty answers a page without rows, with more to come.' },
  { name: 'page-shift', strikes: 'next-page', details: 'page-shift repeats the last row of the page before.' },
  { name: 'page-loop', strikes: 'next-page', details: 'page-loop answers the cursor that it was asked with.' },
  {
    name: 'page-no-cursor',
    strikes: 'page',
    details: 'page-no-cursor says that there is another page, and not where.',
  },
  { name: 'page-error', strikes: 'next-page', details: 'page-error fails every page but the first.' },
  {
    name: 'files-error',
    strikes: 'files',
    details: 'Of files on volumes: files-error answers the error page of a gateway.',
  },
  { name: 'files-denied', strikes: 'files', details: 'files-denied answers AccessDenied.' },
  {
    name: 'files-clock',
    strikes: 'files',
    details: 'files-clock checks a signature with a clock that is ahead by --latency.',
  },
  { name: 'files-slow-list', strikes: 'files-list', details: 'files-slow-list answers a listing late.' },
  {
    name: 'files-same-token',
    strikes: 'files-list',
    details: 'files-same-token answers a page of a listing with the token that it was asked with.',
  },
  { name: 'files-cut', strikes: 'files-body', details: 'files-cut answers 200 with half of the content.' },
  { name: 'files-full', strikes: 'files-content', details: 'files-full answers that the volume is full.' },
  {
    name: 'files-late',
    strikes: 'files-write',
    details: 'files-late says that a file was written, and shows it late.',
  },
  { name: 'files-lost', strikes: 'files-write', details: 'files-lost says so, and loses the file.' },
  {
    name: 'files-slow-complete',
    strikes: 'files-complete',
    details: 'files-slow-complete joins the parts of an upload, and answers late.',
  },
  {
    name: 'files-no-complete',
    strikes: 'files-complete',
    details: 'files-no-complete says that it joined the parts, and does not.',
  },
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
