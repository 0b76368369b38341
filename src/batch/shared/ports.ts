import type { ObjectStorage } from '../../core/context.ts';
import type { BatchPorts } from '../ports.ts';
import type { Database } from '../stores/postgres/database/database.ts';

/** What a driver of a shared batch uses besides the parts of the Context. */
export interface SharedPorts extends BatchPorts {
  readonly storage: ObjectStorage;
  readonly database: Database;
  /** Words that name a batch on a command line: its name, and the store where the environment does not name it. */
  readonly reference: (name: string) => readonly string[];
}
