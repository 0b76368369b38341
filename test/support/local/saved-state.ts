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
