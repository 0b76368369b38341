/** A registry credential. What it holds is write-only, and nothing here logs in anywhere: it is not kept at all. */
export interface RegistryRecord {
  id: string;
  name: string;
}
