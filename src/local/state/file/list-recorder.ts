import type { Recorder } from './recorder.ts';
import { checked, isListOf, isNumber } from './saved-forms.ts';

type Splice = readonly [index: number, removed: number, added: readonly unknown[]];

const areSplices = isListOf(
  (value): value is Splice =>
    Array.isArray(value) && isNumber(value[0]) && isNumber(value[1]) && Array.isArray(value[2]),
);

/** A short list of values never changed in place. A change is its splices, in order. */
export function listRecorder(): Recorder {
  let saved: readonly unknown[] | undefined;
  return {
    change: (value) => {
      const list = value as readonly unknown[];
      const splices = saved === undefined ? [wholeList(list)] : splicesBetween(saved, list);
      if (splices.length === 0) return undefined;
      saved = [...list];
      return JSON.stringify(splices);
    },
    pages: (value) => [JSON.stringify([wholeList(value as readonly unknown[])])],
    apply: (value, change) => {
      let list = (value ?? []) as readonly unknown[];
      for (const [index, removed, added] of checked(change, areSplices))
        list = [...list.slice(0, index), ...added, ...list.slice(index + removed)];
      saved = [...list];
      return list;
    },
  };
}

const wholeList = (list: readonly unknown[]): Splice => [0, 0, list];

function splicesBetween(from: readonly unknown[], to: readonly unknown[]): readonly Splice[] {
  const splices: Splice[] = [];
  let before = from;
  // A list of the latest values loses some at one end when it gains others at the other end.
  const lostFirst = before.indexOf(to[0]);
  if (lostFirst > 0) {
    splices.push([0, lostFirst, []]);
    before = before.slice(lostFirst);
  }
  const end = before.lastIndexOf(to.at(-1)) + 1;
  if (end > 0 && end < before.length) {
    splices.push([end, before.length - end, []]);
    before = before.slice(0, end);
  }
  const shorter = Math.min(before.length, to.length);
  let start = 0;
  while (start < shorter && before[start] === to[start]) start++;
  if (start === before.length && start === to.length) return splices;
  let same = 0;
  while (same < shorter - start && before[before.length - 1 - same] === to[to.length - 1 - same]) same++;
  return [...splices, [start, before.length - start - same, to.slice(start, to.length - same)]];
}
