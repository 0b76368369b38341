import { usage } from '../core/failure.ts';

export type StoreKind = 'file' | 'postgres';

/** The value of --store that names the journal beside the results, where BERTH_STORE names a store. */
const FILE = 'file';

/** Returns where a batch is kept; `store` is the value of --store, `variable` that of BERTH_STORE. */
export const storeKindOf = (store: string | undefined, variable: string | undefined): StoreKind =>
  (store === undefined ? (variable ?? '') !== '' : store !== FILE) ? 'postgres' : 'file';

/** What is said of something that a store cannot do, and what to do instead. */
const MISSING = {
  /** `work`, `cancel`, `clean`, and the options of several drivers. */
  sharing: {
    says: 'needs --store',
    hint: 'It is for batches that several machines share.',
  },
  /** The results of a batch in one file, in the order of the input. */
  ordering: {
    says: 'is for results in one file',
    hint: 'Leave it out. When the batch has ended, batch export --ordered writes the results in this order.',
  },
  /** Inputs that are somewhere else than where the batch was begun. */
  movedInputs: {
    says: 'cannot be changed for a batch in a store',
    hint: 'Its inputs are in its manifest.',
  },
} as const satisfies Readonly<Record<string, { readonly says: string; readonly hint: string }>>;

type Capability = keyof typeof MISSING;

/** What each store can do. */
const CAPABILITIES: Readonly<Record<StoreKind, readonly Capability[]>> = {
  file: ['ordering', 'movedInputs'],
  postgres: ['sharing'],
};

export const canDo = (kind: StoreKind, capability: Capability): boolean => CAPABILITIES[kind].includes(capability);

/** Fails with usage (2) when a store cannot do something that was asked for: `what` is the option or the verb. */
export function refuse(kind: StoreKind, capability: Capability, what: string): void {
  const missing = MISSING[capability];
  if (!canDo(kind, capability)) throw usage(`${what} ${missing.says}`, missing.hint);
}
