import type { StoredFile } from '../../../../batch/index.ts';
import { numberAt, stringAt, type Json } from '../../../../core/json.ts';
import { formatBytes } from '../../../../core/units.ts';
import type { View } from '../../../../output/view.ts';

/** The rows of files that are removed. */
export const rowsOf = (found: readonly StoredFile[]): readonly Json[] =>
  found.map(({ address, bytes }) => ({ address, bytes }));

/** The name of an object without its folder, in which all are. */
const nameOf = (address: string): string => address.slice(address.lastIndexOf('/') + 1);

export const folderOf = (address: string): string => address.slice(0, Math.max(0, address.lastIndexOf('/'))) || '.';

/** Files of a batch: those that are about to be removed, and those that were. */
export const filesView: View = {
  noun: ['object', 'objects'],
  id: (row) => stringAt(row, 'address') ?? '',
  columns: [
    { header: 'NAME', show: (row) => nameOf(stringAt(row, 'address') ?? ''), cutLast: true },
    { header: 'SIZE', show: (row) => formatBytes(numberAt(row, 'bytes') ?? 0), right: true },
  ],
};
