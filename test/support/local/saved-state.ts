import { queuesCodec } from '../../../src/local/queue/state/codec.ts';
import { loadState } from '../../../src/local/state/file/load-state.ts';
import { createLongTexts } from '../../../src/local/state/file/long-texts.ts';
import { openFile } from '../../../src/local/state/file/open-file.ts';
import type { RecordedState } from '../../../src/local/state/file/codec.ts';
import { textFolder } from '../../../src/local/state/file/text-folder.ts';
import { nodeFileSystem } from '../../../src/local/state/file/file-system.ts';
import type { State } from '../../../src/local/state/state.ts';

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

/** A state as a document of version 3, 4 or 5, the only line of its file. */
export function oldDocument(version: 3 | 4 | 5, state: State): string {
  const { parts, processedTo, version: _version, ...fields } = JSON.parse(JSON.stringify(state)) as SavedParts;
  if (version === 5) return JSON.stringify({ ...fields, version, stamp: 'x', processedTo, ...parts });
  const { delegations, queue, ...others } = parts;
  const { byEndpoint, deliveries: _deliveries, timers, ...members } = queue;
  return JSON.stringify({
    ...fields,
    ...others,
    version,
    ...(version === 4 && { stamp: 'x', queueAsOf: processedTo }),
    shelves: delegations === undefined ? {} : { delegations },
    queue: {
      ...members,
      ...(version === 3 && { asOf: processedTo }),
      lanes: byEndpoint,
      outbox: [],
      timers: timers.map(({ event, ...timer }) => ({ ...timer, what: event })),
    },
  });
}

interface SavedParts extends Omit<State, 'parts'> {
  readonly parts: Readonly<Record<string, unknown>> & {
    readonly queue: Readonly<Record<string, unknown>> & { readonly timers: readonly { readonly event: unknown }[] };
  };
}
