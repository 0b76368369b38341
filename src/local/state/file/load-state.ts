import { berth, sentence } from '../../../core/message.ts';
import { readFileSync } from 'node:fs';
import { isObject } from '../../../core/json.ts';
import { type Failure, localFile } from '../../../core/failure.ts';
import { errorHint, errorReason } from '../../../core/files.ts';
import { createState, STATE_VERSION } from '../state.ts';
import { isHeader, isLine, recordState } from './codec.ts';
import type { Header, Line, PartCodec, RecordedState } from './codec.ts';
import type { LongTexts } from './long-texts.ts';
import { readLines, type OpenFile } from './open-file.ts';
import { WrongForm } from './saved-forms.ts';
import type { Bytes } from '../../../core/unit-types.ts';

export interface LoadedState {
  readonly recorded: RecordedState;
  readonly extent: FileExtent;
}

export interface FileExtent {
  /** Of the lines that the file was created with. */
  readonly created: Bytes;
  /** Of the complete lines. */
  readonly complete: Bytes;
}

/** For the state of --local, which is berth's own file. */
export const START_OVER = sentence`Start over with: ${berth`local reset`}`;

/** Fails with local-file (14). */
export function loadState(path: string, file: OpenFile, texts: LongTexts, codecs: readonly PartCodec[]): LoadedState {
  const lines = readLines(file.descriptor, 0);
  const first = lines.next();
  const { since, generation } = headerIn(
    path,
    // Early versions were one line without an end.
    first.done === true ? readFileSync(file.descriptor, 'utf8') : first.value.text,
  );
  const recorded = recordState(createState(since, { generation, serial: 0 }), texts, codecs);
  let created = 0;
  let complete = 0;
  for (const { text, end } of lines) {
    const line = applyLine(path, text, recorded);
    complete = end;
    if (line.whole === true) created = end;
  }
  if (created === 0) throw damaged(path);
  return { recorded, extent: { created, complete } };
}

/** Makes the changes after `extent`. Fails with local-file (14). */
export function loadChanges(path: string, file: OpenFile, recorded: RecordedState, extent: FileExtent): FileExtent {
  let { complete } = extent;
  for (const { text, end } of readLines(file.descriptor, complete)) {
    applyLine(path, text, recorded);
    complete = end;
  }
  return { ...extent, complete };
}

function headerIn(path: string, line: string): Header {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw localFile(`this is no state of the local service: ${path}`, START_OVER, error);
  }
  if (isHeader(value)) return value;
  // Other programs write JSON with a version too, such as source maps.
  if (!isObject(value) || typeof value['version'] !== 'number' || typeof value['since'] !== 'number')
    throw localFile(`this is no state of the local service: ${path}`, START_OVER);
  if (value['version'] === STATE_VERSION) throw damaged(path);
  throw localFile(`the local service's state is of another version of berth: ${path}`, START_OVER);
}

function parseLine(path: string, text: string): Line {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw damaged(path, error);
  }
  if (!isLine(value)) throw damaged(path);
  return value;
}

function applyLine(path: string, text: string, recorded: RecordedState): Line {
  const line = parseLine(path, text);
  unlessDamaged(path, () => {
    recorded.apply(line);
  });
  return line;
}

function unlessDamaged<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof WrongForm ? damaged(path, error) : error;
  }
}

const damaged = (path: string, cause?: unknown): Failure =>
  localFile(`the local service's state is damaged: ${path}`, START_OVER, cause);

export const cannotRead = (path: string, cause: unknown): Failure =>
  localFile(`cannot read the local service's state ${path}: ${errorReason(cause)}`, errorHint(cause), cause);
