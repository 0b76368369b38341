import { memberAt, stringAt, type Json } from '../../core/json.ts';
import { safeText } from '../../core/safe-text.ts';
import type { CommandContext } from '../model/context.ts';
import type { Collection } from '../model/collection.ts';
import { lookupRows } from './identity/requests.ts';

/**
 * A note when another row has the name of a new one: the name then stands for neither of them on a command line. Reads the
 * list, unless this run has read it before. Fails as the list does.
 */
export async function sameNameNote(
  ctx: CommandContext,
  collection: Collection,
  created: Json,
): Promise<string | undefined> {
  const [id, name] = [stringAt(created, 'id'), stringAt(created, 'name')];
  if (id === undefined || name === undefined || name === '') return undefined;
  const others = (await lookupRows(ctx, collection)).filter(
    (row) => memberAt(row, 'name') === name && stringAt(row, 'id') !== id,
  );
  const [other] = others.map((row) => stringAt(row, 'id') ?? '?');
  if (other === undefined) return undefined;
  const many = others.length === 1 ? safeText(other) : `${safeText(other)} and ${others.length - 1} more`;
  return `The name ${JSON.stringify(safeText(name))} is also that of ${many}: name this ${collection.noun} by its id, ${safeText(id)}.`;
}
