import type { FileLocks } from '../../core/files/locks.ts';
import type { AccountDocument, PlainObject } from '../../core/ports/remembered.ts';
import { isRecord, makeFolder, readObject, writeObject } from './json-file.ts';
import type { RememberedOptions } from './lists.ts';

/** How long to wait while another process changes the file. Milliseconds. */
const LOCK_WAIT_MS = 30_000;

/**
 * Keeps a document of one account in a file, `{account, memory}`. What belongs to another account is dropped. With `locks`
 * no change of another process is lost, and a change is on the disk when it is done.
 */
export function createAccountDocument(options: RememberedOptions, locks?: FileLocks): AccountDocument {
  const kept = (): PlainObject => {
    const { account, memory } = readObject(options.path(), options.user);
    return account === (options.account() ?? null) && isRecord(memory) ? memory : {};
  };
  const update = (change: (before: PlainObject) => PlainObject): void => {
    // Without a pause between reading and writing: other runs on this machine write it too.
    const document = { account: options.account() ?? null, memory: change(kept()) };
    writeObject(options.path(), document, { ...options, flush: locks !== undefined });
  };
  return {
    read: () => Promise.resolve(kept()),
    update: async (change) => {
      if (locks === undefined) {
        update(change);
        return;
      }
      const path = options.path();
      makeFolder(path, options.user);
      const lock = await locks.take(`${path}.lock`, { subject: path, waitMs: LOCK_WAIT_MS });
      try {
        update(change);
      } finally {
        lock.release();
      }
    },
  };
}
