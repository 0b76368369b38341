import { Failure, localFile, messageOf } from '../../../core/failure.ts';
import { encodeJson, isObject, objectOf, parsePlainJson, type Json, type JsonObject } from '../../../core/json.ts';
import type { PlainObject } from '../../../core/ports/remembered.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { decodeAttempts, encodeAttempts, withAttempt, type Attempt } from '../../../create/attempts.ts';

type Kept = Pick<CommandContext, 'creates'>;

/** What this machine keeps of the creates of the account: `attempts`, and the `wishes` that guards work for. */
export const readCreates = async ({ creates }: Kept): Promise<JsonObject> => jsonOf(await creates.read());

const jsonOf = (kept: PlainObject): JsonObject => (isObject(kept) ? kept : {});

/** A body may have numbers that are kept as they were written. */
export const plainOf = (given: JsonObject): JsonObject => objectOf(parsePlainJson(encodeJson(given))) ?? {};

/** Changes some members of it. Fails with local-file (14): nothing may be sent whose key is not on the disk. */
export async function changeCreates({ creates }: Kept, change: (before: Json) => JsonObject): Promise<void> {
  try {
    await creates.update((before) => ({ ...before, ...plainOf(change(jsonOf(before))) }));
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw localFile(`cannot keep the key of this create: ${messageOf(error)}`, 'Nothing more was sent.', error);
  }
}

/** The requests that this machine has sent for a key. */
export const readAttempts = async (ctx: Kept, key: string): Promise<readonly Attempt[]> =>
  decodeAttempts(await readCreates(ctx)).get(key) ?? [];

/** Keeps an attempt before and after its request. Fails as `changeCreates` does. */
export const keepAttempt = (ctx: Kept, key: string, attempt: Attempt): Promise<void> =>
  changeCreates(ctx, (before) => ({
    attempts: encodeAttempts(withAttempt(decodeAttempts(before), key, attempt)),
  }));
