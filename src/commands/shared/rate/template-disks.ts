import { unlessFailed } from '../../../core/failure.ts';
import { type JsonObject, memberAt, numberAt, stringAt } from '../../../core/json.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { readRow } from '../../../cli/resource/identity/identify.ts';
import { TEMPLATES } from '../collections.ts';
import { ASK_PER_MONTH } from './ask-limits.ts';
import { standardMonthly } from './volume-price.ts';

/**
 * The body of a pod with the disks that it takes from its template, which cost as its own do: the container disk where the body
 * has none; the persistent mount for a body without mounts, and for no CPU pod (contract rules, Pods). The body alone where
 * the template cannot be read.
 */
export async function withTemplateDisks(ctx: CommandContext, body: JsonObject): Promise<JsonObject> {
  const template = stringAt(body, 'templateId');
  const takesMount = body['mounts'] === undefined && body['cpu'] === undefined;
  if (template === undefined || !(takesMount || body['disk'] === undefined)) return body;
  const row = (await unlessFailed(ctx, () => readRow(ctx, TEMPLATES, template)))?.answer.value;
  const persistent = memberAt(row, 'mounts.persistent') ?? null;
  const disk = body['disk'] ?? memberAt(row, 'disk');
  return {
    ...body,
    ...(disk === undefined ? {} : { disk }),
    ...(takesMount && persistent !== null ? { mounts: { persistent } } : {}),
  };
}

/**
 * Whether the persistent mount of a body is so large that a person is asked. It has no published price: it is counted as a
 * network volume of standard storage is.
 */
export const hasExpensiveMount = (body: JsonObject): boolean =>
  standardMonthly(numberAt(body, 'mounts.persistent.size') ?? 0) >= ASK_PER_MONTH;
