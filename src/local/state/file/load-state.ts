import { berth, sentence } from '../../../core/message.ts';
import { readFileSync } from 'node:fs';
import { isObject } from '../../../core/json.ts';
import { localFile, type Failure } from '../../../core/failure.ts';
import { errorHint, errorReason } from '../../../core/files/file-errors.ts';
import { createState, NO_GENERATION } from '../state.ts';
import { decodeOldState, isHeader, isLine, recordState } from './codec.ts';
import type { Header, Line, PartCodec, RecordedState } from './codec.ts';
import type { LongTexts } from './long-texts.ts';
import { readLines, type OpenFile } from './open-file.ts';
import { WrongForm } from './saved-forms.ts';
import { DOCUMENT_VERSIONS, isSavedState } from './versions.ts';
import type { Bytes } from '../../../core/unit-types.ts';

/** A state that was read from a file. */
export interface LoadedState {
  readonly recorded: RecordedState;
  /** What the file has of it; absent when the file is of an older version and must be written anew. */
  readonly extent?: FileExtent;
}

export interface FileExtent {
  /** Of the lines that the file was created with. */
  readonly created: Bytes;
  /** Of the complete lines. */
  readonly complete: Bytes;
}

/** For the state of --local, which is berth's own file. */
export const START_OVER = sentence`Start over with: ${berth`local reset`}`;

/** Reads a state of any readable version. Fails with local-file (14). */
export function loadState(path: string, file: OpenFile, texts: LongTexts, codecs: readonly PartCodec[]): LoadedState {
  const lines = readLines(file.descriptor, 0);
  const first = lines.next();
  const header = first.done === true ? undefined : headerIn(path, first.value.text);
  if (header === undefined) return { recorded: recordState(loadDocument(path, file, texts, codecs), texts, codecs) };
  const { since, generation } = header;
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

/** Makes the changes that follow `extent` in a file. Fails with local-file (14). */
export function loadChanges(path: string, file: OpenFile, recorded: RecordedState, extent: FileExtent): FileExtent {
  let { complete } = extent;
  for (const { text, end } of readLines(file.descriptor, complete)) {
    applyLine(path, text, recorded);
    complete = end;
  }
  return { ...extent, complete };
}

/** The header in the first line of a file; undefined when it is not of this version. Fails with local-file (14). */
function headerIn(path: string, line: string): Header | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isObject(value) || value['version'] !== 6) return undefined;
  if (!isHeader(value)) throw damaged(path);
  return { ...value, generation: value.generation ?? NO_GENERATION };
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

function loadDocument(path: string, file: OpenFile, texts: LongTexts, codecs: readonly PartCodec[]) {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file.descriptor, 'utf8'));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw cannotRead(path, error);
    throw localFile(`the local service's state is not JSON: ${path}`, START_OVER, error);
  }
  const version = isObject(value) ? value['version'] : undefined;
  if (version !== undefined && !DOCUMENT_VERSIONS.includes(version))
    throw localFile(`the local service's state is of another version of berth: ${path}`, START_OVER);
  // Other programs write JSON with such a version too, such as source maps: it must not be written anew as a state.
  if (!isSavedState(value)) throw localFile(`this is no state of the local service: ${path}`, START_OVER);
  return unlessDamaged(path, () => decodeOldState(value, texts, codecs));
}

export const cannotRead = (path: string, cause: unknown): Failure =>
  localFile(`cannot read the local service's state ${path}: ${errorReason(cause)}`, errorHint(cause), cause);
