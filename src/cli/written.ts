import type { Api } from '../core/api.ts';
import type { Sink } from '../core/context.ts';
import { Failure } from '../core/failure.ts';
import { memberAt, stringOf } from '../core/json.ts';

/** What one run of a command has written at the service, and whether its result could be printed. */
export interface Written {
  readonly ids: Set<string>;
  writes: number;
  unprinted: boolean;
}

export const nothingWritten = (): Written => ({ ids: new Set(), writes: 0, unprinted: false });

/** The same Api; what it writes is noted, with the ids that the answers name. */
export const notingWrites = (api: Api, written: Written): Api => ({
  ...api,
  send: async (request) => {
    const answer = await api.send(request);
    if (request.method === 'GET') return answer;
    written.writes += 1;
    const id = stringOf(memberAt(answer.value ?? null, 'id')) ?? request.id;
    if (id !== undefined) written.ids.add(id);
    return answer;
  },
});

/** The same way out; that it took nothing is noted. */
export const notingLoss = (sink: Sink, written: Written): Sink => ({
  write: async (text) => {
    try {
      await sink.write(text);
    } catch (error) {
      written.unprinted = true;
      throw error;
    }
  },
});

/**
 * A result that could not be printed is no reason to write again: the failure says that it happened, and the ids that
 * were printed nowhere.
 */
export function withWritten(error: unknown, { ids, writes, unprinted }: Written): unknown {
  if (!(error instanceof Failure) || !unprinted || writes === 0) return error;
  const [id] = ids;
  const named = id === undefined ? '' : `: ${[...ids].join(', ')}`;
  return error.with({
    hint: `The service did what was asked${named}\nLook at that first: to run it again may do it twice.`,
    ...(ids.size === 1 ? { id } : {}),
  });
}
