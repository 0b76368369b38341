import { Failure, localFile, messageOf } from '../../../core/failure.ts';
import { isObject, type JsonObject } from '../../../core/json.ts';
import type { PlainObject } from '../../../core/ports/remembered.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { decodeAttempts, encodeAttempts, withAttempt, type Attempt } from '../../../create/attempts.ts';

type Kept = Pick<CommandContext, 'creates'>;

const jsonOf = (kept: PlainObject): JsonObject => (isObject(kept) ? kept : {});

/** The requests that this machine has sent for a key. */
export const readAttempts = async ({ creates }: Kept, key: string): Promise<readonly Attempt[]> =>
  decodeAttempts(jsonOf(await creates.read())).get(key) ?? [];

/**
 * Keeps an attempt before and after its request. Fails with local-file (14): nothing may be sent whose key is not on the disk.
 */
export async function keepAttempt({ creates }: Kept, key: string, attempt: Attempt): Promise<void> {
  try {
    await creates.update((before) => ({
      attempts: encodeAttempts(withAttempt(decodeAttempts(jsonOf(before)), key, attempt)),
    }));
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw localFile(`cannot keep the key of this create: ${messageOf(error)}`, 'Nothing more was sent.', error);
  }
}
