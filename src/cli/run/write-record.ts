import type { Api } from '../../core/api.ts';
import type { Sink } from '../../core/context.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { encodeJson, memberAt, stringOf } from '../../core/json.ts';
import type { Result } from '../../output/view.ts';

/** What one run of a command has written at the service, and whether its result could be printed. */
export interface Written {
  readonly ids: Set<string>;
  writes: number;
  unprinted: boolean;
}

export const createWriteRecord = (): Written => ({ ids: new Set(), writes: 0, unprinted: false });

/** The same Api; what it writes is noted, with the ids that the answers name. */
export const recordWrites = (api: Api, written: Written): Api => ({
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
export const recordOutputFailure = <T extends string>(sink: Sink<T>, written: Written): Sink<T> => ({
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
 * A result that could not be printed, or not be filtered, is no reason to write again: the failure says that it
 * happened, and the ids that were printed nowhere.
 */
export function withWriteHint(error: unknown, { ids, writes, unprinted }: Written): unknown {
  if (!(error instanceof Failure) || writes === 0) return error;
  const unfiltered = isUnfiltered(error);
  if (!unprinted && !unfiltered) return error;
  const [id] = ids;
  const named = id === undefined ? '' : `: ${[...ids].join(', ')}`;
  return error.with({
    hint: [
      `The service did what was asked${named}`,
      'Look at that first: to run it again may do it twice.',
      ...(unfiltered && error.hint !== undefined ? [error.hint] : []),
    ].join('\n'),
    ...(ids.size === 1 ? { id } : {}),
  });
}

/** `--jq` compiled, and failed on what came. */
const isUnfiltered = ({ code, exit }: Failure): boolean => code === 'jq' && exit !== EXIT.usage;

/**
 * What a write was answered is not asked for again: where the filter fails on it, the failure says the answer as it
 * came. On stdout it would pass for what the filter gave.
 */
export async function withUnfilteredAnswer(error: unknown, result: Result, { writes }: Written): Promise<unknown> {
  const data = result.kind === 'one' || result.kind === 'many';
  if (!(error instanceof Failure) || !isUnfiltered(error) || writes === 0 || !data) return error;
  const { documentOf } = await import('../../output/formats/json.ts');
  return error.with({ hint: `Unfiltered: ${encodeJson(documentOf(result, undefined))}` });
}
