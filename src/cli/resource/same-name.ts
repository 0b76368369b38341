import { Failure } from '../../core/failure.ts';
import { type Json, memberAt, stringAt } from '../../core/json.ts';
import { safeText } from '../../core/safe-text.ts';
import type { CommandContext } from '../model/context.ts';
import type { Collection } from '../model/collection.ts';
import { listRequest, rememberNames } from './requests.ts';
import { readList } from './pages.ts';

/** With two equal names, later commands by name end 2. Costs one request; none with --quiet. */
export async function sameNameNote(
  ctx: CommandContext,
  collection: Collection,
  row: Json,
): Promise<string | undefined> {
  if (collection.uniqueNames === true || ctx.settings.get('quiet')) return undefined;
  const [id, name] = [stringAt(row, 'id'), stringAt(row, 'name')];
  if (id === undefined || name === undefined || name === '') return undefined;
  const others = (await rowsOf(ctx, collection)).filter(
    (each) => memberAt(each, 'name') === name && stringAt(each, 'id') !== id,
  );
  const [other] = others.map((each) => stringAt(each, 'id') ?? '?');
  if (other === undefined) return undefined;
  const many = others.length === 1 ? safeText(other) : `${safeText(other)} and ${others.length - 1} more`;
  return `The name ${JSON.stringify(safeText(name))} is also that of ${many}: name this ${collection.noun} by its id, ${safeText(id)}.`;
}

/** None if unreadable, even after an interrupt: the new row's id must still be printed. */
async function rowsOf(ctx: CommandContext, collection: Collection): Promise<readonly Json[]> {
  try {
    return await ctx.ids.rows(collection, async () => {
      const { values } = await readList(ctx.api, { ...listRequest(collection, collection.lookupQuery), once: true });
      await rememberNames(ctx, collection, values);
      return values;
    });
  } catch (error) {
    if (error instanceof Failure) return [];
    throw error;
  }
}
