import { unlessFailed } from '../../core/failure.ts';
import { asId } from '../../core/ids.ts';
import { memberAt, stringAt, type Json } from '../../core/json.ts';
import { safeText } from '../../core/safe-text.ts';
import type { CommandContext } from '../model/context.ts';
import type { Collection } from '../model/collection.ts';
import { lookupRows, rowRequest } from './identity/requests.ts';

/**
 * A note when another row has the name of a new one: the name then stands for neither of them on a command line. For a person
 * it reads the list, unless this run has read it before. A script that creates many would read it as often: there only the
 * rows that this machine remembers by the name are read, mostly none. Fails as the reads do.
 */
export async function sameNameNote(
  ctx: CommandContext,
  collection: Collection,
  created: Json,
): Promise<string | undefined> {
  const [id, name] = [stringAt(created, 'id'), stringAt(created, 'name')];
  if (id === undefined || name === undefined || name === '') return undefined;
  const known = ctx.terminal.errors
    ? await lookupRows(ctx, collection)
    : await rememberedRows(ctx, collection, name, id);
  const others = known.filter((row) => memberAt(row, 'name') === name && stringAt(row, 'id') !== id);
  const [other] = others.map((row) => stringAt(row, 'id') ?? '?');
  if (other === undefined) return undefined;
  const many = others.length === 1 ? safeText(other) : `${safeText(other)} and ${others.length - 1} more`;
  return `The name ${JSON.stringify(safeText(name))} is also that of ${many}: name this ${collection.noun} by its id, ${safeText(id)}.`;
}

/** How many rows of a remembered name are read, the latest ones: it may stand for rows of other collections too. */
const MAX_READ = 3;

/** The rows of a collection but one that were remembered by a name and are still there. */
async function rememberedRows(
  ctx: CommandContext,
  collection: Collection,
  name: string,
  except: string,
): Promise<readonly Json[]> {
  const ids = [...(await ctx.names.read())].flatMap(([id, known]) => (known === name && id !== except ? [id] : []));
  const read = ids.slice(-MAX_READ).map(async (id) => {
    const answer = await unlessFailed(ctx, () => ctx.api.send(rowRequest(collection, asId(id))));
    return answer?.value ?? [];
  });
  return (await Promise.all(read)).flat();
}
