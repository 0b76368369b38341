/** What lies below every command: the recorders of a dry run and of writes, and the one rule for a replica that lags. */
import type { Api, ApiAnswer, ApiRequest, RequestPreview } from '../../core/api.ts';
import type { Context, Sink } from '../../core/context.ts';
import { isNotFound } from '../../core/failure.ts';
import type { RangeFiles, VolumeFiles } from '../../core/file-ports.ts';
import { stringAt } from '../../core/json.ts';
import type { Message } from '../../core/message.ts';
import { type Milliseconds, MINUTE_MS } from '../../core/unit-types.ts';
import { DryRun } from './dry-run.ts';

/**
 * Sends reads and records writes: a write throws DryRun with all writes so far. That ends the work on its target alone; who
 * acts on several catches it and goes on. What `then` of a request says follows as `then: ...`.
 */
export function recordingApi(
  api: Api,
  onWrite: (request: ApiRequest) => void,
  tell: (line: Message) => Promise<void>,
): Api {
  const recorded: RequestPreview[] = [];
  return {
    ...api,
    send: async (request) => {
      const { method, isRecorded = method !== 'GET', then } = request;
      if (!isRecorded) return await api.send(request);
      onWrite(request);
      recorded.push(await api.preview(request));
      if (then !== undefined) await tell(`then: ${then}`);
      throw new DryRun([...recorded]);
    },
  };
}

/** How long an id counts as new, and how long a 404 for it is asked again. */
const NEW_MS: Milliseconds = MINUTE_MS;
const PATIENCE_MS: Milliseconds = 10_000;
const PAUSE_MS: Milliseconds = 500;
const MAX_IDS = 100;

/** The remembered list of the ids. */
const LIST = 'new ids';

/** Asks again for ten seconds after a 404 for an id that this machine created within the last minute. */
export function patientApi(api: Api, { clock, lists, signal }: Pick<Context, 'clock' | 'lists' | 'signal'>): Api {
  const newRows = async () => {
    // oxlint-disable-next-line berth/no-wall-clock -- a date: another process wrote it
    const isNew = (text: string): boolean => clock.now() - Date.parse(text) < NEW_MS;
    return ((await lists.read(LIST))?.rows ?? []).filter(({ description }) => isNew(description));
  };
  const patiently = async (request: ApiRequest): Promise<ApiAnswer> => {
    let until: number | undefined;
    for (;;)
      try {
        return await api.send(request);
      } catch (error) {
        if (!isNotFound(error) || request.id === undefined) throw error;
        until ??= (await newRows()).some(({ value }) => value === request.id) ? clock.monotonic() + PATIENCE_MS : 0;
        if (clock.monotonic() >= until) throw error;
        await clock.sleep(PAUSE_MS, signal);
      }
  };
  return {
    ...api,
    send: async (request) => {
      const answer = await patiently(request);
      const created = request.expects === 'created' ? stringAt(answer.value, 'id') : undefined;
      const before = created === undefined && request.method !== 'DELETE' ? [] : await newRows();
      const others = before.filter(({ value }) => value !== request.id);
      // oxlint-disable-next-line berth/no-wall-clock -- a date: another process reads it
      const now = new Date(clock.now()).toISOString();
      const added = created === undefined ? [] : [{ value: created, name: '', description: now }];
      if (added.length > 0 || others.length < before.length)
        await lists.write(LIST, [...added, ...others].slice(0, MAX_IDS));
      return answer;
    },
  };
}

/** What a dry run may do to files on a volume: a write throws DryRun, which ends the work on that file alone. */
export const recordingVolume = (files: VolumeFiles): VolumeFiles => ({
  ...files,
  ...{ write: record, writeStream: record, copy: record, remove: record },
});

/** The same for files of this machine. */
export const recordingFiles = (files: RangeFiles): RangeFiles => ({
  ...files,
  ...{ create: record, open: record, openRanges: record, replace: record, remove: record },
  ...{ makeFolder: record, setTime: record, removeEmptyFolder: record },
});

/** A write of a dry run. */
export const record = (): Promise<never> => Promise.reject(new DryRun([]));

export interface WriteRecord {
  readonly ids: Set<string>;
  /** A request other than GET succeeded. */
  hasWritten: boolean;
  outputFailed: boolean;
}

export const recordWrites = (api: Api, record: WriteRecord): Api => ({
  ...api,
  send: async (request) => {
    if (request.method === 'GET') return await api.send(request);
    const answer = await api.send(request);
    record.hasWritten = true;
    const id = stringAt(answer.value ?? null, 'id') ?? request.id;
    if (id !== undefined) record.ids.add(id);
    return answer;
  },
});

export const recordOutputFailure = <T extends string>(sink: Sink<T>, record: WriteRecord): Sink<T> => ({
  write: async (text) => {
    try {
      await sink.write(text);
    } catch (error) {
      record.outputFailed = true;
      throw error;
    }
  },
});
