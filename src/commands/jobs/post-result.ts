import { usage } from '../../core/failure.ts';
import { berth, sentence } from '../../core/message.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import type { Result } from '../../output/view.ts';
import { webhookAddress } from '../shared/webhooks/webhook-address.ts';
import { failureOf, postResult } from '../shared/webhooks/deliver.ts';
import type { EndedJob } from './wait.ts';

/** The address that `--webhook-to` gives. Fails with usage (2) for a bad one, and with flags that exclude it. */
export function receiverOf(values: {
  readonly webhookTo: string | undefined;
  readonly webhook: string | undefined;
  readonly stream: boolean;
}): string | undefined {
  if (values.webhookTo === undefined) return undefined;
  if (values.webhook !== undefined)
    throw usage(
      '--webhook and --webhook-to exclude each other',
      'The service posts to the first, berth to the second.',
    );
  if (values.stream) throw usage('--stream and --webhook-to exclude each other', 'Use --wait with --webhook-to.');
  return webhookAddress(values.webhookTo, '--webhook-to');
}

/** Posts the document of a job that has ended, and returns its result; it fails (7) where that was not delivered. */
export async function postedResult(ctx: CommandContext, to: string, result: EndedJob): Promise<Result> {
  const { webhook, delivery } = await postResult(ctx, await ctx.webhooks(), to, result.source);
  const failure = failureOf(delivery)?.with({
    hint: sentence`It is kept. Post it again with: ${berth`webhooks replay ${webhook.id}`}`,
  });
  if (failure === undefined) await ctx.tell(`Posted to ${to}.`);
  return { ...result, failure };
}
