import type { Api } from '../../core/api.ts';
import type { Sink } from '../../core/context.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { stringAt } from '../../core/json.ts';
import { lines } from '../../core/message.ts';

export interface WriteRecord {
  readonly ids: Set<string>;
  readonly created: Set<string>;
  /** Successful requests other than GET. */
  writes: number;
  /** Writes outside the queue: lists of the service may differ now. */
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

export const recordWrites = (api: Api, record: WriteRecord): Api => ({
  ...api,
  send: async (request) => {
    if (request.method === 'GET') return await api.send(request);
    record.changedLists ||= request.service !== 'queue';
    const answer = await api.send(request);
    record.writes += 1;
    const id = stringAt(answer.value ?? null, 'id') ?? request.id;
    if (id !== undefined) record.ids.add(id);
    // The path of a request names what exists already.
    if (id !== undefined && request.method === 'POST' && !request.path.includes(id)) record.created.add(id);
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

/** Hints that the write succeeded, with the unprinted ids: else a user might repeat it. */
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

/** For a closed stdout: the created thing may cost money, and nothing else has its id. */
export const unprinted = (error: unknown, { created }: WriteRecord): string | undefined =>
  error instanceof Failure && error.code === 'closed-pipe' && created.size > 0 ? notPrinted(created) : undefined;

export const notPrinted = (ids: ReadonlySet<string>): string =>
  `Standard output is closed, so this was not printed there: ${[...ids].join(', ')}`;

/** `--jq` compiled and then failed on the data. */
const isFilterFailure = ({ code, exit }: Failure): boolean => code === 'jq' && exit !== EXIT.usage;
