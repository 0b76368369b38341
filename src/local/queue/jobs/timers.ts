import type { State } from '../../state/state.ts';
import { queuesOf, type EndpointQueue, type Queues, type Timer, type TimerEvent } from '../state/records.ts';
import type { EpochMs } from '../../../core/unit-types.ts';

export function setTimer(state: State, at: EpochMs, event: TimerEvent): void {
  const queues = queuesOf(state);
  queues.timers.push({ at, order: queues.timersSet++, event });
}

/** Only the earliest time is kept: that check sets the time of the next one. */
export function scheduleScaling(state: State, queue: EndpointQueue, endpointId: string, at: number): void {
  if (queue.scaleAt !== undefined && queue.scaleAt <= at) return;
  queue.scaleAt = at;
  setTimer(state, at, { kind: 'scale', endpointId });
}

export function sweepTimers(queues: Queues, isLive: (timer: Timer) => boolean): void {
  if (queues.timersSet < queues.sweepAt) return;
  queues.timers.retain(isLive);
  queues.sweepAt = queues.timersSet + Math.max(1024, queues.timers.length);
}
