import { berth, sentence } from '../../../core/message.ts';
import { readFileSync } from 'node:fs';
import { isObject, type JsonObject } from '../../../core/json.ts';
import { localFile, type Failure } from '../../../core/failure.ts';
import { errorHint, errorReason } from '../../../core/files/file-errors.ts';
import { createState } from '../state.ts';
import { decodeOldState, recordState, type Header, type Line, type PartCodec, type RecordedState } from './codec.ts';
import type { LongTexts } from './long-texts.ts';
import { readLines, type OpenFile } from './open-file.ts';
import { DOCUMENT_VERSIONS, type SavedState } from './versions.ts';

/** A state that was read from a file. */
export interface LoadedState {
  readonly recorded: RecordedState;
  /** What the file has of it; absent when the file is of an older version and must be written anew. */
  readonly extent?: FileExtent;
}

/** Sizes in bytes. */
export interface FileExtent {
  /** Of the lines that the file was created with. */
  readonly created: number;
  /** Of the complete lines. */
  readonly complete: number;
}

export const START_OVER = sentence`Start over with: ${berth`local reset`}`;

/** Reads a state of any readable version. Fails with local-file (14). */
export function loadState(path: string, file: OpenFile, texts: LongTexts, codecs: readonly PartCodec[]): LoadedState {
  const lines = readLines(file.descriptor, 0);
  const first = lines.next();
  const header = first.done === true ? undefined : headerIn(first.value.text);
  if (header === undefined) return { recorded: recordState(loadDocument(path, file, texts, codecs), texts, codecs) };
  const { since, generation } = header;
  const recorded = recordState(createState(since, { generation, serial: 0 }), texts, codecs);
  let created = 0;
  let complete = 0;
  for (const { text, end } of lines) {
    const line = parseLine(path, text);
    recorded.apply(line);
    complete = end;
    if (line.whole === true) created = end;
  }
  if (created === 0) throw damaged(path);
  return { recorded, extent: { created, complete } };
}

/** Makes the changes that follow `extent` in a file. Fails with local-file (14). */
export function loadChanges(path: string, file: OpenFile, recorded: RecordedState, extent: FileExtent): FileExtent {
  let { complete } = extent;
  for (const { text, end } of readLines(file.descriptor, complete)) {
    recorded.apply(parseLine(path, text));
    complete = end;
  }
  return { ...extent, complete };
}

/** The header in the first line of a file; undefined when it is not of this version. */
function headerIn(line: string): Header | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) && value['version'] === 6 ? (value as unknown as Header) : undefined;
  } catch {
    return undefined;
  }
}

function parseLine(path: string, text: string): Line {
  try {
    return JSON.parse(text) as Line;
  } catch (error) {
    throw damaged(path, error);
  }
}

const damaged = (path: string, cause?: unknown): Failure =>
  localFile(`the local service's state is damaged: ${path}`, START_OVER, cause);

function loadDocument(path: string, file: OpenFile, texts: LongTexts, codecs: readonly PartCodec[]) {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file.descriptor, 'utf8'));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw cannotRead(path, error);
    throw localFile(`the local service's state is not JSON: ${path}`, START_OVER, error);
  }
  const version = isObject(value) ? value['version'] : undefined;
  if (!isObject(value) || version === undefined || (DOCUMENT_VERSIONS.includes(version) && !hasStateMembers(value)))
    throw localFile(`the local service's state is not one: ${path}`, START_OVER);
  if (!DOCUMENT_VERSIONS.includes(version))
    throw localFile(`the local service's state is of another version of berth: ${path}`, START_OVER);
  return decodeOldState(value as SavedState, texts, codecs);
}

/** Other programs write JSON with such a `version` too, such as source maps: it must not be written anew as a state. */
const hasStateMembers = (value: JsonObject): boolean => typeof value['since'] === 'number' && isObject(value['queue']);

export const cannotRead = (path: string, cause: unknown): Failure =>
  localFile(`cannot read the local service's state ${path}: ${errorReason(cause)}`, errorHint(cause), cause);
