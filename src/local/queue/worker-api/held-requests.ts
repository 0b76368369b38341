import { type EpochMs, MINUTE_MS } from '../../../core/unit-types.ts';
import type { Call, Reply } from '../../http/operation.ts';
import type { State } from '../../state/state.ts';
import { countPoll } from '../protocol/takes.ts';
import { waitingCount } from '../state/endpoint-queue.ts';
import { queuesOf } from '../state/records.ts';

/** How long a request is held open when there is nothing to answer. Milliseconds of the service's clock. */
export const HOLD_MS = MINUTE_MS;

interface HeldRequest {
  readonly endpointId: string;
  readonly workerId: string;
  /** True when it waits for jobs; false when it waits for jobs to stop. */
  readonly isTake: boolean;
  /** Answers it, inside a step; undefined when there is still nothing to answer. */
  readonly attempt: (state: State, now: EpochMs) => Reply | undefined;
}

export interface HeldRequests {
  /** Call it at the end of every step, also of one that fails. */
  answer(state: State, now: EpochMs): void;
  /** Call it in a step, the returned function after it: undefined when time is over or on abort. */
  hold(state: State, call: Call, request: HeldRequest): () => Promise<Reply | undefined>;
}

interface Entry extends HeldRequest {
  reply: Reply | undefined;
  isOver: boolean;
  wake: () => void;
}

/** The service's clock, in milliseconds. */
export interface HoldTime {
  readonly at: () => number;
  /** Rejects when the service stops. */
  readonly sleep: (milliseconds: number) => Promise<void>;
}

interface Group {
  readonly takes: Set<Entry>;
  readonly stops: Set<Entry>;
  /** See `EndpointQueue.signals`. */
  seen: { readonly generation: string; readonly signals: number | undefined } | undefined;
}

export function createHeldRequests(time: HoldTime): HeldRequests {
  const groups = new Map<string, Group>();
  /** When each open request is over; the earliest is first, because all are held for the same time. */
  const ends = new Map<Entry, number>();
  let isTiming = false;

  /** One sleep for all: with many workers, thousands are held each second. */
  const endOverdue = async (): Promise<void> => {
    if (isTiming) return;
    isTiming = true;
    try {
      for (let [first] = ends; first !== undefined; [first] = ends) {
        const [entry, end] = first;
        const left = end - time.at();
        if (left > 0) await time.sleep(left);
        else if (ends.delete(entry)) giveUp(entry);
      }
    } catch {
      // The service stops, which ends every call.
    } finally {
      isTiming = false;
    }
  };

  const groupOf = (state: State, endpointId: string): Group => {
    const known = groups.get(endpointId);
    if (known !== undefined) return known;
    const { signals } = queuesOf(state).byEndpoint[endpointId] ?? {};
    const group: Group = { takes: new Set(), stops: new Set(), seen: { generation: state.generation, signals } };
    groups.set(endpointId, group);
    return group;
  };

  const setOf = (group: Group, { isTake }: Entry): Set<Entry> => (isTake ? group.takes : group.stops);

  const answerGroup = (endpointId: string, group: Group, state: State, now: EpochMs): void => {
    const tryToAnswer = (entry: Entry): void => {
      const reply = entry.attempt(state, now);
      if (reply === undefined) return;
      setOf(group, entry).delete(entry);
      countPoll(state, endpointId, entry.workerId, -1);
      entry.reply = reply;
      entry.wake();
    };
    const queue = queuesOf(state).byEndpoint[endpointId];
    if (group.seen?.generation !== state.generation || group.seen.signals !== queue?.signals) {
      group.seen = { generation: state.generation, signals: queue?.signals };
      for (const entry of [...group.stops, ...group.takes]) tryToAnswer(entry);
    } else
      for (const entry of group.takes) {
        if (queue === undefined || waitingCount(queue) === 0) break;
        tryToAnswer(entry);
      }
    if (group.takes.size + group.stops.size === 0) groups.delete(endpointId);
  };

  const forget = (entry: Entry): void => {
    const group = groups.get(entry.endpointId);
    if (group !== undefined) setOf(group, entry).delete(entry);
  };

  return {
    answer: (state, now) => {
      for (const [endpointId, group] of [...groups]) answerGroup(endpointId, group, state, now);
    },
    hold: (state, call, request) => {
      const entry: Entry = { ...request, reply: undefined, isOver: false, wake: () => undefined };
      setOf(groupOf(state, request.endpointId), entry).add(entry);
      countPoll(state, request.endpointId, request.workerId, 1);
      return async () => {
        ends.set(entry, time.at() + HOLD_MS);
        void endOverdue();
        await replyInTime(call, entry);
        ends.delete(entry);
        if (entry.reply === undefined)
          try {
            await call.transact((latest) => {
              if (entry.reply !== undefined) return;
              forget(entry);
              countPoll(latest, entry.endpointId, entry.workerId, -1);
            });
          } finally {
            forget(entry);
          }
        return entry.reply;
      };
    },
  };
}

function giveUp(entry: Entry): void {
  entry.isOver = true;
  entry.wake();
}

async function replyInTime({ signal }: Call, entry: Entry): Promise<void> {
  const onAbort = (): void => {
    giveUp(entry);
  };
  if (signal.aborted) return;
  signal.addEventListener('abort', onAbort);
  if (entry.reply === undefined && !entry.isOver) await nextWake(entry);
  signal.removeEventListener('abort', onAbort);
}

const nextWake = (entry: Entry): Promise<void> =>
  new Promise((resolve) => {
    entry.wake = resolve;
  });
