import type { Clock } from '../../core/context.ts';
import type { StoredWebhook } from '../../core/ports/webhooks.ts';
import { deliveredState } from './webhook-view.ts';
import type { Milliseconds } from '../../core/unit-types.ts';

export interface Selection {
  /** Only those that did not reach their receiver. */
  readonly failed: boolean;
  /** Before now. */
  readonly since: Milliseconds | undefined;
}

/**
 * The webhooks that are asked for, in their order. Those that failed are the latest about each job of which none was
 * delivered: a sender that posts again sends the same job.
 */
export function select(
  { clock }: { readonly clock: Clock },
  webhooks: readonly StoredWebhook[],
  { failed, since }: Selection,
): StoredWebhook[] {
  // eslint-disable-next-line no-restricted-syntax -- a date, compared with dates of files
  const from = since === undefined ? Number.NEGATIVE_INFINITY : clock.now() - since;
  const aboutOf = ({ job, id }: StoredWebhook): string => job ?? id;
  const delivered = new Set(webhooks.filter((each) => deliveredState(each) === true).map(aboutOf));
  const latest = new Map(webhooks.map((each) => [aboutOf(each), each]));
  return webhooks.filter(
    (each) =>
      each.at >= from &&
      (!failed ||
        (deliveredState(each) === false && !delivered.has(aboutOf(each)) && latest.get(aboutOf(each)) === each)),
  );
}
