import { askUntilThere, type Absence } from '../../core/not-there-yet.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import type { CommandContext } from '../model/context.ts';

const INTERVAL_MS: Milliseconds = 500;

/**
 * Runs a request about `what`, such as `pod web`, and runs it again while a 404 means that it is not there yet: it was just
 * created, and a replica of the service may lag. `find` is as for `askUntilThere`. Says on stderr that it asks again. Fails as
 * the request does.
 */
export async function askAgain<T>(
  ctx: CommandContext,
  what: string,
  find: () => Promise<Absence | undefined>,
  request: () => Promise<T>,
): Promise<T> {
  const ask = askUntilThere(find);
  for (let count = 0; ; count++) {
    const answer = await ask(async () => ({ value: await request() }));
    if (answer !== undefined) return answer.value;
    if (count === 0)
      await ctx.tell(`${what} is not there yet: a replica of the service may lag. Asking again for up to a minute.`);
    await ctx.clock.sleep(INTERVAL_MS, ctx.signal);
  }
}
