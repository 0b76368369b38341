import { berth, sentence } from '../../core/message.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, rethrowUnlessFailure } from '../../core/failure.ts';
import type { Json } from '../../core/json.ts';
import type { ApiRequest } from '../../core/api.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { listRequest } from '../../cli/resource/identity/requests.ts';
import { readList } from '../../cli/resource/pages/read-list.ts';
import { isSameKey, readKey, type SshKey } from './keys.ts';

/** How often a change is tried again after someone else changed the keys at the same time. */
const MAX_TRIES = 5;

const PATH = ['v2', 'account', 'ssh-keys'];
export const LIST = berth`account ssh-keys list`;

export const KEYS_REQUEST = listRequest({ path: PATH, member: 'keys' });

/** PUT replaces the whole set (contract rules, SSH keys). `destroys` is true when a key of the set is removed. */
export const writeRequest = (keys: readonly string[], destroys = true): ApiRequest => ({
  service: 'base',
  method: 'PUT',
  path: PATH,
  body: { keys },
  destroys,
  expects: { list: 'keys' },
  checkCommand: LIST,
});

/** The keys of a list; items that are not text are left out. */
export const keysOf = (values: readonly Json[]): readonly SshKey[] =>
  values.flatMap((key) => (typeof key === 'string' ? [readKey(key)] : []));

export const readKeys = async (ctx: CommandContext): Promise<readonly SshKey[]> =>
  keysOf((await readList(ctx.api, KEYS_REQUEST)).values);

export interface Changed {
  readonly before: readonly SshKey[];
  /** The keys in the last answer. */
  readonly after: readonly SshKey[];
}

/**
 * Changes the set of keys and keeps concurrent changes by others: reads the set, writes it, and reads it again. When the
 * set then differs from what was written, says so and applies the change to the new set. The service has no conditional
 * writes, so a change by others between the read and the write is lost; nothing else is done between the two.
 *
 * `change` returns the wanted set, or the same array where nothing has to change. Fails with refused (5) where the set
 * changed on every try.
 */
export async function changeKeys(
  ctx: CommandContext,
  change: (keys: readonly SshKey[]) => readonly SshKey[],
): Promise<Changed> {
  const before = await readKeys(ctx);
  let seen = before;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const wanted = change(seen);
    if (wanted === seen) return { before, after: seen };
    await ctx.api.send(
      writeRequest(
        wanted.map(({ text }) => text),
        !seen.every(isIn(wanted)),
      ),
    );
    const current = await readAgain(ctx, wanted);
    if (isSameSet(current, wanted)) return { before, after: current };
    await ctx.tell('Someone else changed the keys at the same time; theirs are kept.');
    seen = current;
  }
  if (change(seen) === seen) return { before, after: seen };
  throw new Failure({
    code: 'keys-moved',
    exit: EXIT.refused,
    message: `someone else changed the keys each of the ${MAX_TRIES} times that they were written`,
    hint: sentence`What you asked for is not in the set now. See it, and try again: ${LIST}`,
  });
}

/** Reads the keys after a write. Where the read fails, says so and returns the written keys. */
export async function readAgain(ctx: CommandContext, written: readonly SshKey[]): Promise<readonly SshKey[]> {
  try {
    return await readKeys(ctx);
  } catch (error) {
    rethrowUnlessFailure(error, ctx);
    await ctx.tell(sentence`The keys are written, and could not be read again (${error.message}). See ${LIST}`);
    return written;
  }
}

export const isSameSet = (one: readonly SshKey[], other: readonly SshKey[]): boolean =>
  one.length === other.length && one.every(isIn(other));

const isIn =
  (keys: readonly SshKey[]) =>
  (key: SshKey): boolean =>
    keys.some((each) => isSameKey(each, key));
