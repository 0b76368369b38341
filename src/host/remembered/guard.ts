import type { JsonObject } from '../../core/json.ts';
import type { GuardMemory } from '../../core/ports/remembered.ts';
import { isRecord, readObject, writeObject } from './json-file.ts';
import type { RememberedOptions } from './lists.ts';

/** Keeps what guards know of one account in a file, `{account, memory}`. What belongs to another account is dropped. */
export function createGuardMemory(options: RememberedOptions): GuardMemory {
  const kept = (): JsonObject => {
    const { account, memory } = readObject(options.path(), options.user);
    // What JSON.parse makes is JSON.
    return account === (options.account() ?? null) && isRecord(memory) ? (memory as JsonObject) : {};
  };
  return {
    read: () => Promise.resolve(kept()),
    update: (change) => {
      // Without a pause between reading and writing: other runs on this machine write it too.
      writeObject(options.path(), { account: options.account() ?? null, memory: change(kept()) }, options);
      return Promise.resolve();
    },
  };
}
