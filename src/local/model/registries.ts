import { createRecordTable } from '../state/record-table.ts';

/** A registry credential. Its user name and password are not stored: they are write-only, and nothing uses them here. */
export interface RegistryRecord {
  id: string;
  name: string;
}

export const registries = createRecordTable<RegistryRecord>('registries', () => [
  { id: 'reg-team', name: 'team registry' },
]);
