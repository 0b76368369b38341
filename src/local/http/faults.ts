import { FAULT_SETTINGS, type FaultSettingName, type RequestFaultKind } from '../../core/fault-kinds.ts';
import { DAY_SECONDS, type EpochMs, HOUR_SECONDS, type Milliseconds, type Seconds } from '../../core/unit-types.ts';
import { badRequest, forbidden, lowBalance, NO_ROOM, Problem, serverError } from '../contract/problem.ts';
import { type FaultedRequest, type FaultRecord, faults, takeFaultAt } from './injected-faults.ts';
import type { LocalAnswer } from './operation.ts';
import { createPart, type State } from '../state/state.ts';

export const WINDOWS = [
  { name: 'minute', seconds: 60, quota: 1000 },
  { name: 'hour', seconds: HOUR_SECONDS, quota: 30_000 },
  { name: 'day', seconds: DAY_SECONDS, quota: 300_000 },
] as const;

type WindowName = (typeof WINDOWS)[number]['name'];
export type Quota = Readonly<Record<WindowName, number>>;

/** A window starts with the first request after the previous one ended. */
type RateUsage = Record<WindowName, { startedAt: EpochMs; used: number }>;

export const rateUsage = createPart<RateUsage>('rate', (since) => ({
  minute: { startedAt: since, used: 0 },
  hour: { startedAt: since, used: 0 },
  day: { startedAt: since, used: 0 },
}));

export const quotaOf = (given: Readonly<Partial<Record<WindowName, number>>> = {}): Quota => ({
  minute: given.minute ?? WINDOWS[0].quota,
  hour: given.hour ?? WINDOWS[1].quota,
  day: given.day ?? WINDOWS[2].quota,
});

interface WindowStatus {
  readonly name: WindowName;
  readonly remaining: number;
  /** Until the window resets, at least 1. */
  readonly reset: Seconds;
}

/** Throws the 429 Problem without counting (specification 8.1). Queue operations have other limits. */
export function countRequest(usage: RateUsage, quota: Quota, now: EpochMs): Readonly<Record<string, string>> {
  for (const { name, seconds } of WINDOWS) {
    if (now >= usage[name].startedAt + seconds * 1000) usage[name] = { startedAt: now, used: 0 };
  }
  const exceeded = windowStatuses(usage, quota, now).filter(({ remaining }) => remaining === 0);
  const longest = exceeded.at(-1);
  if (longest !== undefined) throw tooManyRequests(longest.name, longest.reset, rateHeaders(usage, quota, now));
  for (const { name } of WINDOWS) usage[name].used += 1;
  return rateHeaders(usage, quota, now);
}

/** The 429 Problem for one window (specification 7.2). `retryAfter` in seconds. */
const tooManyRequests = (
  name: WindowName,
  retryAfter: number,
  headers: Readonly<Record<string, string>> = {},
): Problem =>
  new Problem(429, 'Too Many Requests', `rate limit exceeded for the ${name} window`, undefined, {
    'Retry-After': String(retryAfter),
    ...headers,
  });

/** RateLimit and RateLimit-Policy as structured-field lists, one member a window. */
export function rateHeaders(usage: RateUsage, quota: Quota, now: EpochMs): Readonly<Record<string, string>> {
  return {
    RateLimit: windowStatuses(usage, quota, now)
      .map(({ name, remaining, reset }) => `"${name}";r=${String(remaining)};t=${String(reset)}`)
      .join(', '),
    'RateLimit-Policy': WINDOWS.map(
      ({ name, seconds }) => `"${name}";q=${String(quota[name])};w=${String(seconds)}`,
    ).join(', '),
  };
}

const windowStatuses = (usage: RateUsage, quota: Quota, now: EpochMs): readonly WindowStatus[] =>
  WINDOWS.map(({ name, seconds }) => ({
    name,
    remaining: Math.max(0, quota[name] - usage[name].used),
    reset: Math.max(1, Math.ceil((usage[name].startedAt + seconds * 1000 - now) / 1000)),
  }));

/** Thrown when the connection is to be closed without an answer. */
export class DroppedConnection extends Error {
  override readonly name = 'DroppedConnection';
  /** True when the request took effect before the connection was dropped. */
  readonly accepted: boolean;
  constructor(accepted: boolean) {
    super(accepted ? 'the connection was dropped after the request took effect' : 'the connection was dropped');
    this.accepted = accepted;
  }
}

/** Thrown when something in front of the service answers in its place. */
export class ForeignAnswer extends Error {
  override readonly name = 'ForeignAnswer';
  readonly answer: LocalAnswer;
  constructor(answer: LocalAnswer) {
    super('a network in front of the service answered');
    this.answer = answer;
  }
}

const BLOCKED: LocalAnswer = {
  status: 403,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: '<!doctype html><html><head><title>Access denied</title></head><body>Sorry, you have been blocked.</body></html>',
};

type FaultError = Problem | DroppedConnection | ForeignAnswer;

const refusalText = ({ path }: FaultedRequest): string => (path.endsWith('/action') ? NO_ROOM.host : NO_ROOM.none);

/** `counting`: after authentication, in place of counting; `arrival`: before anything is answered. */
type FaultStage = 'counting' | 'arrival' | 'operation' | 'answer';

/** Delays, fails (DroppedConnection closes the connection), or hides what is newer than `lagMs`. */
type FaultEffect =
  | { readonly stage: 'arrival'; delayMs(fault: FaultRecord): Milliseconds }
  | { readonly stage: FaultStage; error(fault: FaultRecord, request: FaultedRequest): FaultError }
  | { readonly stage: 'lookup'; lagMs(fault: FaultRecord): Milliseconds };

/** Faults of one stage take effect in this order. */
const FAULT_EFFECTS: Readonly<Record<RequestFaultKind, FaultEffect>> = {
  latency: { stage: 'arrival', delayMs: settingOf('latencyMs') },
  drop: { stage: 'arrival', error: () => new DroppedConnection(false) },
  'server-error': { stage: 'arrival', error: (fault) => serverError(settingOf('status')(fault)) },
  'rate-limit': { stage: 'counting', error: (fault) => tooManyRequests('minute', settingOf('retryAfter')(fault)) },
  'low-balance': { stage: 'operation', error: () => lowBalance() },
  refuse: { stage: 'operation', error: ({ detail }, request) => badRequest(detail ?? refusalText(request)) },
  forbidden: { stage: 'operation', error: () => forbidden() },
  blocked: { stage: 'arrival', error: () => new ForeignAnswer(BLOCKED) },
  'replica-lag': { stage: 'lookup', lagMs: settingOf('latencyMs') },
  'accept-drop': { stage: 'answer', error: () => new DroppedConnection(true) },
};

export async function applyFaults(
  faults: readonly FaultRecord[],
  stage: FaultStage,
  request: FaultedRequest,
  sleep: (milliseconds: number) => Promise<void>,
): Promise<void> {
  for (const [fault, effect] of effectsAt(faults, stage)) {
    if ('delayMs' in effect) await sleep(effect.delayMs(fault));
    else if ('error' in effect) throw effect.error(fault, request);
  }
}

export function lagOf(faults: readonly FaultRecord[]): Milliseconds {
  for (const [fault, effect] of effectsAt(faults, 'lookup')) if ('lagMs' in effect) return effect.lagMs(fault);
  return 0;
}

export function faultError(
  faults: readonly FaultRecord[],
  stage: Exclude<FaultStage, 'arrival'>,
  request: FaultedRequest,
): FaultError | undefined {
  for (const [fault, effect] of effectsAt(faults, stage)) if ('error' in effect) return effect.error(fault, request);
  return undefined;
}

const effectsAt = (
  faults: readonly FaultRecord[],
  stage: FaultEffect['stage'],
): readonly (readonly [FaultRecord, FaultEffect])[] =>
  faults.length === 0
    ? []
    : Object.entries(FAULT_EFFECTS).flatMap(([kind, effect]) => {
        const fault = faults.find((each) => each.kind === kind);
        return fault === undefined || effect.stage !== stage ? [] : [[fault, effect] as const];
      });

export function settingOf(member: FaultSettingName): (fault: FaultRecord) => number {
  return (fault) => fault[member] ?? FAULT_SETTINGS[member].fallback;
}

type StartFault = { readonly kind: 'slow'; readonly delayMs: Milliseconds } | { readonly kind: 'failed' };

/** Counts the fault down: call it once for each start. */
export function takeStartFault(
  state: State,
  { endpointId, workerId }: { readonly endpointId: string; readonly workerId: string },
  random: () => number,
): StartFault | undefined {
  const path = `/worker/${endpointId}/start/${workerId}`;
  const fault = takeFaultAt(faults.of(state), ['start'], { method: 'POST', path }, random);
  if (fault === undefined) return undefined;
  return fault.kind === 'worker-slow-start'
    ? { kind: 'slow', delayMs: settingOf('latencyMs')(fault) }
    : { kind: 'failed' };
}
