import { Failure } from '../../core/failure.ts';
import { memberAt, stringAt, type Json } from '../../core/json.ts';
import { safeText } from '../../core/safe-text.ts';
import type { CommandContext } from '../model/context.ts';
import type { Collection } from '../model/collection.ts';
import { listRequest, rememberNames } from './identity/requests.ts';
import { readList } from './pages/read-list.ts';

/**
 * A note when another row has the name that a row was just given: the name then stands for neither of them on a command line. It
 * costs one request, for the list, unless this run has read the list before: what this machine remembers has neither what others
 * made nor what was made before. A script is told too, as each later command with the name ends 2 there, and what it was to stop
 * is paid on. With --quiet nothing is read.
 */
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

/** The rows; none where they cannot be read at once. After an interrupt too: the row is there, and its id must be printed. */
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
