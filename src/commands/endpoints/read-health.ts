import type { CommandContext } from '../../cli/model/context.ts';
import { unlessFailed } from '../../core/failure.ts';
import { asId } from '../../core/ids.ts';
import type { Json } from '../../core/json.ts';
import { idOf } from '../../output/view.ts';
import { healthRequest } from '../../queue/requests.ts';

/** One request per endpoint. */
const MAX_HEALTH = 50;

/** By id; null if it could not be read. */
export async function readHealth(ctx: CommandContext, endpoints: readonly Json[]): Promise<ReadonlyMap<string, Json>> {
  const found = await Promise.all(
    endpoints.slice(0, MAX_HEALTH).map(async (endpoint) => {
      const id = idOf(endpoint);
      const answer = id === '' ? undefined : await unlessFailed(ctx, () => ctx.api.send(healthRequest(asId(id))));
      return [id, answer?.value ?? null] as const;
    }),
  );
  return new Map(found);
}
