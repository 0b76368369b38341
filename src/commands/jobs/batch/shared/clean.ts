import { findGarbage, removeGarbage, type Garbage } from '../../../../batch/shared/index.ts';
import { allowedAccess, requireAccess } from '../../../../core/access.ts';
import { numberAt, stringAt, type Json } from '../../../../core/json.ts';
import { formatBytes } from '../../../../core/units.ts';
import type { Confirmation } from '../../../../cli/command.ts';
import type { CommandContext } from '../../../../cli/context.ts';
import { countOf } from '../../../../cli/words.ts';
import type { Result, View } from '../../../../output/view.ts';
import { withStore, type StoreValues } from './store.ts';

type CleanValues = StoreValues & { readonly batch: string };

/** Finds what no part of the batch is. Fails with denied (3) when the profile may not destroy, and as the store does. */
export async function findUnpublished(ctx: CommandContext, values: CleanValues): Promise<readonly Garbage[]> {
  requireAccess('full', allowedAccess(ctx.settings));
  return await withStore(ctx, values, 'read', async ({ ports, find }) => findGarbage(ports, await find(values.batch)));
}

/** What is shown before the question; undefined when there is nothing to remove. */
export function confirmation(found: readonly Garbage[]): Confirmation | undefined {
  const [first] = found;
  if (first === undefined) return undefined;
  return {
    rows: { view: cleanView, values: rowsOf(found) },
    lines: [`This removes ${countOf(found.length, 'object')} from ${folderOf(first.address)}.`],
  };
}

/** Removes what was found, except what a driver may publish after all. */
export async function cleanShared(
  ctx: CommandContext,
  values: CleanValues,
  found: readonly Garbage[],
): Promise<Result> {
  const removed = await withStore(ctx, values, 'read', async ({ ports, find }) =>
    removeGarbage(ports, await find(values.batch), found),
  );
  return {
    kind: 'many',
    view: cleanView,
    values: rowsOf(removed),
    notes: [removed.length === 0 ? 'No part is left over.' : `${countOf(removed.length, 'object')} removed.`],
  };
}

const rowsOf = (found: readonly Garbage[]): readonly Json[] => found.map(({ address, bytes }) => ({ address, bytes }));

/** The name of an object without its folder, in which all are. */
const nameOf = (address: string): string => address.slice(address.lastIndexOf('/') + 1);

const folderOf = (address: string): string => address.slice(0, address.lastIndexOf('/'));

const cleanView: View = {
  noun: ['object', 'objects'],
  id: (row) => stringAt(row, 'address') ?? '',
  columns: [
    { header: 'NAME', show: (row) => nameOf(stringAt(row, 'address') ?? ''), cutLast: true },
    { header: 'SIZE', show: (row) => formatBytes(numberAt(row, 'bytes') ?? 0), right: true },
  ],
};
