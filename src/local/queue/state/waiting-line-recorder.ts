import type { Recorder } from '../../state/file/recorder.ts';
import { checked, isListOf, isNumber, isObjectWith, isOptional, isText, isTrue } from '../../state/file/saved-forms.ts';
import type { WaitingLine } from './records.ts';

/** With `all`, there are no other ids. */
interface SavedChange extends Omit<WaitingLine, 'ids'> {
  readonly all?: true;
  readonly ids?: readonly string[];
}

const isSavedChange = isObjectWith<SavedChange>({
  all: isOptional(isTrue),
  ids: isOptional(isListOf(isText)),
  head: isNumber,
  count: isNumber,
});

export function waitingLineRecorder(): Recorder {
  let ids: readonly string[] | undefined;
  let length = 0;
  let position = '';
  const settle = (line: WaitingLine): void => {
    ids = line.ids;
    length = ids.length;
    position = positionOf(line);
  };
  return {
    change: (value) => {
      const line = value as WaitingLine;
      const isOther = line.ids !== ids;
      if (!isOther && line.ids.length === length && positionOf(line) === position) return undefined;
      const added = isOther ? line.ids : line.ids.slice(length);
      settle(line);
      return textOf(line, added, isOther);
    },
    pages: (value) => [textOf(value as WaitingLine, (value as WaitingLine).ids, true)],
    apply: (value, change) => {
      const { all = false, ids: added = [], head, count } = checked(change, isSavedChange);
      const before = all ? [] : ((value as WaitingLine | undefined)?.ids ?? []);
      for (const id of added) before.push(id);
      const line: WaitingLine = { ids: before, head, count };
      settle(line);
      return line;
    },
  };
}

const positionOf = ({ head, count }: WaitingLine): string => `${String(head)} ${String(count)}`;

const textOf = ({ head, count }: WaitingLine, added: readonly string[], all: boolean): string =>
  JSON.stringify({
    ...(all ? { all } : {}),
    ...(added.length > 0 ? { ids: added } : {}),
    head,
    count,
  } satisfies SavedChange);
