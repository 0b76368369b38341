import { describeInvalid, type InputSummary } from '../../../../batch/index.ts';
import { asId } from '../../../../core/ids.ts';
import type { Json } from '../../../../core/json.ts';
import { optionsText, submissionBody } from '../../../../queue/submission.ts';
import { healthRequest, runRequest } from '../../../../queue/requests.ts';
import type { CommandContext } from '../../../../cli/model/context.ts';
import { sendTo } from '../../../../cli/resource/identity/identify.ts';
import { unlessUnread } from '../../../../cli/run/context/dry-run.ts';
import { countOf } from '../../../../cli/words/words.ts';
import type { Result } from '../../../../output/view.ts';
import { ENDPOINTS } from '../../../shared/collections.ts';
import type { RunValues } from '../options/flags.ts';
import { dryRunView } from './view.ts';

/** Returns the name of the inputs for messages. */
export const nameOfInputs = ({ input }: RunValues): string => input.join(' ');

/** Number of skipped items that are named one by one. */
const MAX_NAMED = 10;

/** Returns what --skip-invalid leaves out, one line for each item. */
export function describeSkipped(path: string, { invalid, invalidItems }: InputSummary): readonly string[] {
  if (invalid === 0) return [];
  const named = invalidItems.slice(0, MAX_NAMED);
  return [
    `${countOf(invalid, 'item')} left out: ${invalid === 1 ? 'it' : 'they'} cannot be sent.`,
    ...named.map((item) => describeInvalid(path, item)),
    ...(invalid > named.length ? [`and ${String(invalid - named.length)} more`] : []),
  ];
}

/** Returns counts, sizes, and the first request as it would be sent. Fails with not-found (4) where there is no such endpoint. */
export async function dryRunResult(ctx: CommandContext, values: RunValues, summary: InputSummary): Promise<Result> {
  const input = nameOfInputs(values);
  const body = { raw: submissionBody(summary.first?.input ?? new Uint8Array(0), optionsText(values)) };
  const found = await unlessUnread(ctx, () => sendTo(ctx, ENDPOINTS, values.endpoint, healthRequest));
  const first = await ctx.api.preview({ ...runRequest(found?.id ?? asId(values.endpoint)), body });
  const value: Json = {
    input,
    planned: summary.planned,
    invalid: summary.invalid,
    inputBytes: summary.bytes,
    bodyBytes: summary.bodyBytes,
    largestBody: summary.largestBody,
    first: { method: first.method, url: first.url, headers: { ...first.headers }, body: first.body ?? null },
  };
  return {
    kind: 'one',
    view: dryRunView,
    value,
    notes: summary.invalidItems.map((item) => describeInvalid(input, item)),
  };
}
