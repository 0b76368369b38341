import type { FileLocks } from '../../core/files/locks.ts';
import type { AccountDocument, PlainObject } from '../../core/ports/remembered.ts';
import { isRecord, makeFolder, readObject, writeObject } from './json-file.ts';
import type { RememberedOptions } from './lists.ts';
import type { Milliseconds } from '../../core/unit-types.ts';

/** How long to wait while another process changes the file. */
const LOCK_WAIT_MS: Milliseconds = 30_000;

/** The most accounts whose documents are kept. */
const MAX_ACCOUNTS = 20;

export interface AccountDocumentOptions extends Omit<RememberedOptions, 'account' | 'date'> {
  /** What names the account in use; undefined without a key. May fail. */
  readonly account: () => Promise<string | undefined>;
}

/**
 * Keeps a document of each account in a file, `{accounts: {ACCOUNT: document}}`, the account that was changed last at the
 * end. With `locks` no change of another process is lost, and a change is on the disk when it is done.
 */
export function createAccountDocument(options: AccountDocumentOptions, locks?: FileLocks): AccountDocument {
  const keptOfAll = (): PlainObject => {
    const { accounts } = readObject(options.path(), options.user);
    return isRecord(accounts) ? accounts : {};
  };
  const kept = (account: string): PlainObject => {
    const { [account]: own } = keptOfAll();
    return isRecord(own) ? own : {};
  };
  const update = (account: string, change: (before: PlainObject) => PlainObject): void => {
    // Without a pause between reading and writing: other runs on this machine write it too.
    const others = Object.entries(keptOfAll()).filter(([each]) => each !== account);
    const accounts = Object.fromEntries([...others.slice(1 - MAX_ACCOUNTS), [account, change(kept(account))]]);
    writeObject(options.path(), { accounts }, { ...options, flush: locks !== undefined });
  };
  const inUse = async (): Promise<string> => (await options.account()) ?? '';
  return {
    read: async () => kept(await inUse()),
    update: async (change) => {
      const account = await inUse();
      if (locks === undefined) {
        update(account, change);
        return;
      }
      const path = options.path();
      makeFolder(path, options.user);
      const lock = await locks.take(`${path}.lock`, { subject: path, waitMs: LOCK_WAIT_MS });
      try {
        update(account, change);
      } finally {
        lock.release();
      }
    },
  };
}
