/** A plan and the dry run of an apply send nothing. */
import { EXIT } from '../../core/exit-codes.ts';
import type { Failure } from '../../core/failure.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { bodyOf } from '../../cli/resource/field-writes.ts';
import { refusalOfDryRun } from '../../cli/resource/unknown-words.ts';
import { combinedFailure } from '../../cli/resource/several.ts';
import { bodyOfChanges } from '../../fleet/plan-item.ts';
import { FILE_KINDS } from './kinds.ts';
import type { Planned } from './planned.ts';

/** As a dry run of the create or update; undefined where nothing is known. */
export async function plannedRefusal(
  ctx: CommandContext,
  { document: { kind }, item, body }: Planned,
): Promise<Failure | undefined> {
  const isNew = item.action === 'create';
  if (!isNew && item.action !== 'update') return undefined;
  const sent = isNew ? body : bodyOfChanges(body, item.changes);
  const references = Object.fromEntries(
    Object.entries(kind.references).map(([path, name]) => [path, FILE_KINDS[name].collection]),
  );
  const { members } = bodyOf(kind.table, isNew ? 'create' : 'update');
  return await refusalOfDryRun(ctx, { members, references }, sent);
}

/** Usage (2), with the place of each document. */
export async function refuseUnknown(ctx: CommandContext, planned: readonly Planned[]): Promise<void> {
  const ended: { readonly id: string; readonly failure: Failure | undefined }[] = [];
  for (const each of planned) {
    const { kind, name, at } = each.document;
    const failure = await plannedRefusal(ctx, each);
    ended.push({
      id: `${kind.name} ${name}`,
      failure: failure?.with({ message: `${at([])}: ${failure.message}` }),
    });
  }
  const failure = combinedFailure(ended);
  if (failure === undefined) return;
  const count = ended.filter((each) => each.failure !== undefined).length;
  throw failure.with({
    code: 'usage',
    exit: EXIT.usage,
    ...(ended.length === 1 ? {} : { message: `the service would refuse ${count} of ${ended.length} as described` }),
  });
}
