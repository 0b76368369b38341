import { PAGE_LENGTH, type Recorder } from '../../state/file/recorder.ts';
import { checked, isListOf, isNumber, isObjectWith, isOptional, isText, isTrue } from '../../state/file/saved-forms.ts';
import type { Timer } from './records.ts';
import { TimerHeap, type TimerEvent } from './timer-heap.ts';

/** With `all`, there are no other timers. */
interface SavedChange {
  readonly all?: true;
  readonly set?: readonly Timer[];
  readonly gone?: readonly number[];
}

/** The members of its kind are not checked. */
const isEvent = (value: unknown): value is TimerEvent => isObjectWith({ kind: isText })(value);

const isTimer = isObjectWith<Timer>({ at: isNumber, order: isNumber, event: isEvent });

const isSavedChange = isObjectWith<SavedChange>({
  all: isOptional(isTrue),
  set: isOptional(isListOf(isTimer)),
  gone: isOptional(isListOf(isNumber)),
});

/** The text of a timer has about 100 characters. */
const PAGE_TIMERS = Math.floor(PAGE_LENGTH / 100);

export function timersRecorder(): Recorder {
  let known: TimerHeap | undefined;
  return {
    change: (value) => {
      const heap = value as TimerHeap;
      const { set, gone } = heap.changes();
      if (heap !== known) {
        known = heap;
        return JSON.stringify({ all: true, set: heap } satisfies Record<keyof SavedChange & ('all' | 'set'), unknown>);
      }
      if (set.length === 0 && gone.length === 0) return undefined;
      return JSON.stringify({ set, ...(gone.length > 0 ? { gone } : {}) } satisfies SavedChange);
    },
    *pages(value) {
      const timers = (value as TimerHeap).all();
      for (let at = 0; at === 0 || at < timers.length; at += PAGE_TIMERS)
        yield JSON.stringify({ set: timers.slice(at, at + PAGE_TIMERS) } satisfies SavedChange);
    },
    apply: (value, change) => {
      const { all = false, set = [], gone = [] } = checked(change, isSavedChange);
      const heap = value === undefined || all ? new TimerHeap() : (value as TimerHeap);
      for (const timer of set) heap.push(timer);
      if (gone.length > 0) heap.remove(new Set(gone));
      // They are saved.
      heap.changes();
      known = heap;
      return heap;
    },
  };
}
