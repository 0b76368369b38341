import { FAULT_SETTINGS, type FaultSettingName, type RequestFaultKind } from '../../../core/control/fault-kinds.ts';
import { badRequest, forbidden, lowBalance, NO_ROOM, serverError, type Problem } from '../../contract/problem.ts';
import type { State } from '../../state/state.ts';
import { faults, takeFaultAt, type FaultedRequest, type FaultRecord } from '../call/injected-faults.ts';
import type { LocalAnswer } from '../call/request-and-answer.ts';
import { tooManyRequests } from './rate-limit.ts';
import type { Milliseconds } from '../../../core/unit-types.ts';

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

/** What a refusal says when the fault does not: for an action the machine is full. */
const refusalText = ({ path }: FaultedRequest): string => (path.endsWith('/action') ? NO_ROOM.host : NO_ROOM.none);

/**
 * When a fault takes effect: after the request was authenticated, in place of counting it (`counting`); before anything is
 * answered (`arrival`); before the operation runs (`operation`); while it runs (`lookup`); after it has run (`answer`).
 */
type FaultStage = 'counting' | 'arrival' | 'operation' | 'answer';

/**
 * A fault delays the request, fails it (a Problem or ForeignAnswer is answered, DroppedConnection closes the connection), or hides what was
 * created in the last `lagMs` from it.
 */
type FaultEffect =
  | { readonly stage: 'arrival'; delayMs(fault: FaultRecord): Milliseconds }
  | { readonly stage: FaultStage; error(fault: FaultRecord, request: FaultedRequest): FaultError }
  | { readonly stage: 'lookup'; lagMs(fault: FaultRecord): Milliseconds };

/** What each kind of fault does. Faults of one stage take effect in this order. */
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

/** Applies the faults of one stage: waits, or throws what the fault answers. */
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

/** How far the replica that answers a request lags behind. */
export function lagOf(faults: readonly FaultRecord[]): Milliseconds {
  for (const [fault, effect] of effectsAt(faults, 'lookup')) if ('lagMs' in effect) return effect.lagMs(fault);
  return 0;
}

/** The error of the faults of one stage; undefined when there is none. */
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

/** Reads a setting of a fault. */
export function settingOf(member: FaultSettingName): (fault: FaultRecord) => number {
  return (fault) => fault[member] ?? FAULT_SETTINGS[member].fallback;
}

/** What an injected fault does to the start of a worker's process: it is late, or it ends at once. */
export type StartFault = { readonly kind: 'slow'; readonly delayMs: Milliseconds } | { readonly kind: 'failed' };

/** The fault that affects the start of a worker, counted down; undefined when there is none. Call it once for each start. */
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
