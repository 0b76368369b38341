import { queuesOf, type EndpointQueue, type Worker } from '../../../src/local/queue/state/records.ts';
import { queuesCodec } from '../../../src/local/queue/state/codec.ts';
import { loadState } from '../../../src/local/state/file/load-state.ts';
import { createLongTexts } from '../../../src/local/state/file/long-texts.ts';
import { openFile } from '../../../src/local/state/file/open-file.ts';
import { recordState, type Header, type Line, type RecordedState } from '../../../src/local/state/file/codec.ts';
import { textFolder } from '../../../src/local/state/file/text-folder.ts';
import { nodeFileSystem } from '../../../src/local/state/file/file-system.ts';
import { createState, type State } from '../../../src/local/state/state.ts';

/** What a fresh process reads from a state file. */
export function savedState(path: string): RecordedState {
  const file = openFile(path);
  if (file === undefined) throw new Error(`no state file ${path}`);
  const folder = textFolder(path, nodeFileSystem);
  try {
    const texts = createLongTexts((name) => folder.read(name));
    return loadState(path, file, texts, [queuesCodec]).recorded;
  } finally {
    void file.close();
  }
}

/** The names of the long texts that a saved state has. */
export const textNames = (path: string): readonly string[] => [
  ...new Set(
    [...savedState(path).lines('stamp')].flatMap((line) =>
      [...line.matchAll(/\{"text":"([0-9a-f]{64})"\}/g)].map(([, name]) => name ?? ''),
    ),
  ),
];

/** A state as another process has it after it was written and read. Its records have no long texts. */
export function copyOf(state: State): State {
  const texts = () => createLongTexts(() => '');
  const [header = '', ...lines] = recordState(state, texts(), [queuesCodec]).lines('stamp');
  const { since, generation } = JSON.parse(header) as Header;
  const copy = recordState(createState(since, { generation, serial: 0 }), texts(), [queuesCodec]);
  for (const line of lines) copy.apply(JSON.parse(line) as Line);
  return copy.state;
}

/** A state as a document of version 3, 4 or 5, the only line of its file. Its workers have no jobs. */
export function oldDocument(version: 3 | 4 | 5, state: State): string {
  const { asOf, wallAt, processedTo, since, generation, clockOffsetMs, serial, parts } = state;
  const { delegations, queue: _queue, ...others } = JSON.parse(JSON.stringify(parts)) as Record<string, unknown>;
  const { changed: _changed, deliveries, byEndpoint, timers, ...members } = queuesOf(state);
  const queue = { ...members, deliveries, timers: timers.all(), byEndpoint: mapValues(byEndpoint, oldEndpointQueue) };
  const fields = { version, since, generation, clockOffsetMs, asOf, wallAt, serial };
  if (version === 5) return JSON.stringify({ ...fields, stamp: 'x', processedTo, delegations, ...others, queue });
  const { deliveries: outbox, byEndpoint: lanes, ...rest } = queue;
  return JSON.stringify({
    ...fields,
    ...others,
    ...(version === 4 && { stamp: 'x', queueAsOf: processedTo }),
    shelves: delegations === undefined ? {} : { delegations },
    queue: {
      ...rest,
      ...(version === 3 && { asOf: processedTo }),
      lanes,
      outbox: outbox.map(({ attempts, ...delivery }) => ({ ...delivery, tries: attempts })),
      timers: timers.all().map(({ event, ...timer }) => ({ ...timer, what: event })),
    },
  });
}

function oldEndpointQueue({ waiting, waitingLow, inProgress, workers, ended, counts }: EndpointQueue): object {
  const oldWorker = ({ jobIds: _jobIds, ...worker }: Worker): object => worker;
  return {
    waiting: waiting.ids.slice(waiting.head),
    waitingLow: waitingLow.ids.slice(waitingLow.head),
    inProgress,
    workers: mapValues(workers, oldWorker),
    ended: ended.map(oldWorker),
    counts,
  };
}

const mapValues = <T>(object: Readonly<Record<string, T>>, map: (value: T) => object): object =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value)]));
