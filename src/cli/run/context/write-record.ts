import type { Api } from '../../../core/api.ts';
import type { Sink } from '../../../core/context.ts';
import { EXIT } from '../../../core/exit-codes.ts';
import { Failure } from '../../../core/failure.ts';
import { encodeJson, stringAt } from '../../../core/json.ts';
import { lines } from '../../../core/message.ts';
import type { VolumeFiles } from '../../../core/ports/volume-files.ts';
import type { Result } from '../../../output/view.ts';

/** What one run of a command has changed at the service, and whether its result could be printed. */
export interface WriteRecord {
  /** The ids of what was changed, as the answers name them. */
  readonly ids: Set<string>;
  /** Those of them that the run created: jobs, pods, volumes. */
  readonly created: Set<string>;
  /** Successful requests other than GET. */
  writes: number;
  /** Whether one of them was sent to another service than the queue: lists of the service may differ now. */
  changedLists: boolean;
  outputFailed: boolean;
}

export const createWriteRecord = (): WriteRecord => ({
  ids: new Set(),
  created: new Set(),
  writes: 0,
  changedLists: false,
  outputFailed: false,
});

/** An Api that adds its writes to a record. */
export const recordWrites = (api: Api, record: WriteRecord): Api => ({
  ...api,
  send: async (request) => {
    if (request.method === 'GET') return await api.send(request);
    record.changedLists ||= request.service !== 'queue';
    const answer = await api.send(request);
    record.writes += 1;
    const id = stringAt(answer.value ?? null, 'id') ?? request.id;
    if (id !== undefined) record.ids.add(id);
    // The path of a request names what is there already.
    if (id !== undefined && request.method === 'POST' && !request.path.includes(id)) record.created.add(id);
    return answer;
  },
});

/** The files of a volume, which record that lists may differ where they are changed. */
export function recordFileWrites(files: VolumeFiles, record: WriteRecord): VolumeFiles {
  const changes = (): VolumeFiles => {
    record.changedLists = true;
    return files;
  };
  return {
    ...files,
    write: (...given) => changes().write(...given),
    writeStream: (...given) => changes().writeStream(...given),
    copy: (...given) => changes().copy(...given),
    remove: (key) => changes().remove(key),
  };
}

/** A Sink that records when writing to it fails. */
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

/**
 * A failure to print or filter the result of a write, with a hint that the write succeeded and with the ids, which were
 * not printed. Without it, a user might repeat the write. Other errors are returned unchanged.
 */
export function withWriteHint(error: unknown, { ids, writes, outputFailed }: WriteRecord): unknown {
  if (!(error instanceof Failure) || writes === 0) return error;
  const filterFailed = isFilterFailure(error);
  if (!outputFailed && !filterFailed) return error;
  const [id] = ids;
  const list = id === undefined ? '' : `: ${[...ids].join(', ')}`;
  return error.with({
    hint: lines(
      `The service completed the request${list}`,
      'Check the result first: running the command again may repeat it.',
      filterFailed ? error.hint : undefined,
    ),
    ...(ids.size === 1 ? { id } : {}),
  });
}

/**
 * What was created and could not be printed, because the reader of stdout is gone: it may be paid, and nothing else has its
 * id. Undefined where nothing was created, or the error is another one.
 */
export const unprinted = (error: unknown, { created }: WriteRecord): string | undefined =>
  error instanceof Failure && error.code === 'closed-pipe' && created.size > 0 ? notPrinted(created) : undefined;

/** Says which ids standard output did not take. */
export const notPrinted = (ids: ReadonlySet<string>): string =>
  `Standard output is closed, so this was not printed there: ${[...ids].join(', ')}`;

/** Whether `--jq` compiled and then failed on the data. */
const isFilterFailure = ({ code, exit }: Failure): boolean => code === 'jq' && exit !== EXIT.usage;

/**
 * A failure of the filter on the answer of a write, with the unfiltered answer as a hint, because the write cannot be
 * repeated to see it. It is not printed on stdout, where it would look like the filter's output.
 */
export async function withUnfilteredAnswer(error: unknown, result: Result, { writes }: WriteRecord): Promise<unknown> {
  const hasData = result.kind === 'one' || result.kind === 'many';
  if (!(error instanceof Failure) || !isFilterFailure(error) || writes === 0 || !hasData) return error;
  const { documentOf } = await import('../../../output/formats/json.ts');
  return error.with({ hint: `Unfiltered: ${encodeJson(documentOf(result, undefined))}` });
}
