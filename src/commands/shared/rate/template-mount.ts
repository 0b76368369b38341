import { unlessFailed } from '../../../core/failure.ts';
import { type JsonObject, memberAt, numberAt, stringAt } from '../../../core/json.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { readRow } from '../../../cli/resource/identity/identify.ts';
import { TEMPLATES } from '../collections.ts';
import { ASK_PER_MONTH } from './ask-limits.ts';
import { standardMonthly } from './volume-price.ts';

/**
 * The body of a pod with the persistent mount that it takes from its template, which costs as one of its own does: only a body
 * without mounts takes it, and no CPU pod (contract rules, Pods). The body alone where the template cannot be read.
 */
export async function withTemplateMount(ctx: CommandContext, body: JsonObject): Promise<JsonObject> {
  const template = stringAt(body, 'templateId');
  if (template === undefined || body['mounts'] !== undefined || body['cpu'] !== undefined) return body;
  const read = await unlessFailed(ctx, () => readRow(ctx, TEMPLATES, template));
  const persistent = memberAt(read?.answer.value, 'mounts.persistent') ?? null;
  return persistent === null ? body : { ...body, mounts: { persistent } };
}

/**
 * Whether the persistent mount of a body is so large that a person is asked. It has no published price: it is counted as a
 * network volume of standard storage is.
 */
export const hasExpensiveMount = (body: JsonObject): boolean =>
  standardMonthly(numberAt(body, 'mounts.persistent.size') ?? 0) >= ASK_PER_MONTH;
