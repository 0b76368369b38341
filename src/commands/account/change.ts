import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { arrayOf, memberAt, type Json } from '../../core/json.ts';
import type { ApiRequest } from '../../core/api.ts';
import type { CommandContext } from '../../cli/context.ts';
import { commandLine } from '../../cli/words.ts';
import { isSameKey, readKey, type SshKey } from './keys.ts';

/** How often a change is laid over what someone else wrote in between, before it is given up. */
const MOST_TRIES = 5;

const PATH = ['v2', 'account', 'ssh-keys'];
export const LIST = commandLine('account', 'ssh-keys', 'list');

export const readRequest: ApiRequest = { service: 'base', method: 'GET', path: PATH, expects: { list: 'keys' } };

/** PUT replaces the whole set (contract rules, SSH keys). */
export const writeRequest = (keys: readonly string[]): ApiRequest => ({
  service: 'base',
  method: 'PUT',
  path: PATH,
  body: { keys },
  checkCommand: LIST,
});

/** The keys of an answer; what is no text is none. */
export const keysOf = (value: Json | undefined): readonly SshKey[] =>
  (arrayOf(memberAt(value, 'keys')) ?? []).flatMap((key) => (typeof key === 'string' ? [readKey(key)] : []));

export const readKeys = async (ctx: CommandContext): Promise<readonly SshKey[]> =>
  keysOf((await ctx.api.send(readRequest)).value);

export interface Changed {
  readonly before: readonly SshKey[];
  /** The keys as they were last seen. */
  readonly after: readonly SshKey[];
}

/**
 * Changes the set of keys without losing what someone else writes meanwhile: reads it, changes it, writes it, and reads
 * again. Where the set is then not what was written, that is said, and the change is laid over what is there now, until
 * it holds. The service knows no condition on a write: what is written in the instant between a read and a write is
 * seen by nobody, which is why there is nothing but that instant between the two.
 *
 * `change` gives the set as it should be, the very same array where it is so already. Fails with refused (5) where the
 * set moved every time.
 */
export async function changeKeys(
  ctx: CommandContext,
  change: (keys: readonly SshKey[]) => readonly SshKey[],
): Promise<Changed> {
  const before = await readKeys(ctx);
  let seen = before;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const wanted = change(seen);
    if (wanted === seen) return { before, after: seen };
    await ctx.api.send(writeRequest(wanted.map(({ text }) => text)));
    const now = await readAgain(ctx, wanted);
    if (isSameSet(now, wanted)) return { before, after: now };
    await ctx.tell('Someone else changed the keys at the same time; theirs are kept.');
    seen = now;
  }
  if (change(seen) === seen) return { before, after: seen };
  throw new Failure({
    code: 'keys-moved',
    exit: EXIT.refused,
    message: `someone else changed the keys each of the ${String(MOST_TRIES)} times that they were written`,
    hint: `What you asked for is not in the set now. See it with ${LIST}, and try again.`,
  });
}

/** A look that fails does not undo the write: what was written is then taken for what is there, and said to be. */
export async function readAgain(ctx: CommandContext, written: readonly SshKey[]): Promise<readonly SshKey[]> {
  try {
    return await readKeys(ctx);
  } catch (error) {
    if (!(error instanceof Failure) || ctx.signal.aborted) throw error;
    await ctx.tell(`The keys are written, and could not be read again (${error.message}). See ${LIST}`);
    return written;
  }
}

export const isSameSet = (one: readonly SshKey[], other: readonly SshKey[]): boolean =>
  one.length === other.length && one.every((key) => other.some((each) => isSameKey(each, key)));
