import { usage } from '../core/failure.ts';

export type StoreKind = 'file' | 'postgres';

/** The value of --store that names the journal beside the results, where BERTH_STORE names a store. */
const FILE = 'file';

/** Returns where a batch is kept; `store` is the value of --store, `variable` that of BERTH_STORE. */
export const storeKindOf = (store: string | undefined, variable: string | undefined): StoreKind =>
  (store === undefined ? (variable ?? '') !== '' : store !== FILE) ? 'postgres' : 'file';

/** What one of the stores cannot do: which one, what is said of what was asked for, and what to do instead. */
const MISSING = {
  /** `work`, `cancel`, `clean`, and the options of several drivers. */
  sharing: {
    in: 'file',
    says: 'needs --store',
    hint: 'It is for batches that several machines share.',
  },
  /** The results of a batch in one file, in the order of the input. */
  ordering: {
    in: 'postgres',
    says: 'is for results in one file',
    hint: 'Leave it out. When the batch has ended, batch export --ordered writes the results in this order.',
  },
  /** Inputs that are somewhere else than where the batch was begun. */
  movedInputs: {
    in: 'postgres',
    says: 'cannot be changed for a batch in a store',
    hint: 'Its inputs are in its manifest.',
  },
} as const satisfies Readonly<Record<string, { readonly in: StoreKind; readonly says: string; readonly hint: string }>>;

type Capability = keyof typeof MISSING;

/** Fails with usage (2) when a store cannot do something that was asked for: `what` is the option or the verb. */
export function refuse(kind: StoreKind, capability: Capability, what: string): void {
  const missing = MISSING[capability];
  if (missing.in === kind) throw usage(`${what} ${missing.says}`, missing.hint);
}
