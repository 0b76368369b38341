import type { Call, Reply } from '../../frame/operation.ts';
import type { State } from '../../state/state.ts';
import { countPoll } from '../engine/protocol/takes.ts';
import { waitingCount } from '../state/endpoint-queue.ts';
import { queuesOf } from '../state/records.ts';

/** How long a request is held open when there is nothing to answer. Milliseconds of the service's clock. */
export const HOLD_MS = 60_000;

/** A request of a worker that waits for an answer. */
interface HeldRequest {
  readonly endpointId: string;
  readonly workerId: string;
  /** True when it waits for jobs; false when it waits for jobs to stop. */
  readonly isTake: boolean;
  /** Answers it, inside a step; undefined when there is still nothing to answer. */
  readonly attempt: (state: State, now: number) => Reply | undefined;
}

/** A held request that was answered inside a step whose changes are not saved yet. */
export interface AnsweredRequest {
  /** Makes it wait again, because the step is run again. */
  undo(): void;
  /** Sends the answer, or the error of the save. */
  settle(error?: Error): void;
}

/** The held requests of all workers of one service. */
export interface HeldRequests {
  /** Answers the requests that can be answered now. Call it at the end of every step. */
  answer(state: State, now: number): readonly AnsweredRequest[];
  /**
   * Holds a request open: registers it inside a step, after its first try. The function that it returns waits for the
   * answer; it resolves with undefined when the time is over, the caller disconnects or the service stops before there
   * is an answer.
   */
  hold(state: State, call: Call, request: HeldRequest): () => Promise<Reply | undefined>;
}

/** The end of a held request: its reply, or the error of the save. */
type End = { readonly reply: Reply } | { readonly error: Error };

interface Entry extends HeldRequest {
  /** True after the step that answered it. */
  isAnswered: boolean;
  /** Set when that step is saved. */
  end: End | undefined;
  /** True when the time is over, the caller has disconnected or the service stops. */
  isOver: boolean;
  /** Resolves the promise of `nextWake`. */
  wake: () => void;
}

/** The service's clock: dates and spans in milliseconds. */
export interface HoldTime {
  readonly at: () => number;
  /** Rejects when the service stops. */
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** The held requests of one endpoint. */
interface Group {
  readonly takes: Set<Entry>;
  readonly stops: Set<Entry>;
  /** The latest values that show whether something other than new jobs has changed: see `EndpointQueue.signals`. */
  seen: { readonly generation: string; readonly signals: number | undefined } | undefined;
}

export function createHeldRequests(time: HoldTime): HeldRequests {
  const groups = new Map<string, Group>();
  /** When each open request is over; the earliest is first, because all are held for the same time. */
  const ends = new Map<Entry, number>();
  let isTiming = false;

  /** Ends the requests whose time is over. One sleep serves all: with many workers, thousands are held each second. */
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

  const attempt = (group: Group, entry: Entry, state: State, now: number): AnsweredRequest | undefined => {
    const reply = entry.attempt(state, now);
    if (reply === undefined) return undefined;
    entry.isAnswered = true;
    setOf(group, entry).delete(entry);
    countPoll(state, entry.endpointId, entry.workerId, -1);
    return {
      undo: () => {
        const current = groupOf(state, entry.endpointId);
        entry.isAnswered = false;
        setOf(current, entry).add(entry);
        // The cause of the change is unknown, so check all requests again.
        current.seen = undefined;
      },
      settle: (error) => {
        entry.end = error === undefined ? { reply } : { error };
        entry.wake();
      },
    };
  };

  return {
    answer: (state, now) => {
      const answered: AnsweredRequest[] = [];
      for (const [endpointId, group] of groups) {
        const queue = queuesOf(state).byEndpoint[endpointId];
        if (group.seen?.generation !== state.generation || group.seen.signals !== queue?.signals) {
          group.seen = { generation: state.generation, signals: queue?.signals };
          for (const entry of [...group.stops, ...group.takes]) push(answered, attempt(group, entry, state, now));
        } else
          for (const entry of group.takes) {
            if (queue === undefined || waitingCount(queue) === 0) break;
            push(answered, attempt(group, entry, state, now));
          }
        if (group.takes.size + group.stops.size === 0) groups.delete(endpointId);
      }
      return answered;
    },
    hold: (state, call, request) => {
      const entry: Entry = { ...request, isAnswered: false, end: undefined, isOver: false, wake: () => undefined };
      setOf(groupOf(state, request.endpointId), entry).add(entry);
      countPoll(state, request.endpointId, request.workerId, 1);
      return async () => {
        ends.set(entry, time.at() + HOLD_MS);
        void endOverdue();
        const inTime = await endInTime(call, entry);
        ends.delete(entry);
        if (inTime !== undefined) return replyOf(inTime);
        const isAnswered = await call.transact((current) => {
          if (entry.isAnswered) return true;
          const group = groups.get(entry.endpointId);
          if (group !== undefined) setOf(group, entry).delete(entry);
          countPoll(current, entry.endpointId, entry.workerId, -1);
          return false;
        });
        return isAnswered ? replyOf(await endOf(entry)) : undefined;
      };
    },
  };
}

function push<T>(list: T[], item: T | undefined): void {
  if (item !== undefined) list.push(item);
}

function replyOf(end: End): Reply {
  if ('error' in end) throw end.error;
  return end.reply;
}

function giveUp(entry: Entry): void {
  entry.isOver = true;
  entry.wake();
}

/** The end; undefined when the time is over or the call is aborted before there is one. */
async function endInTime({ signal }: Call, entry: Entry): Promise<End | undefined> {
  const onAbort = (): void => {
    giveUp(entry);
  };
  if (signal.aborted) return entry.end;
  signal.addEventListener('abort', onAbort);
  if (entry.end === undefined && !entry.isOver) await nextWake(entry);
  signal.removeEventListener('abort', onAbort);
  return entry.end;
}

/** The end of an entry that was answered, when the step is saved. */
async function endOf(entry: Entry): Promise<End> {
  for (;;) {
    if (entry.end !== undefined) return entry.end;
    await nextWake(entry);
  }
}

const nextWake = (entry: Entry): Promise<void> =>
  new Promise((resolve) => {
    entry.wake = resolve;
  });
