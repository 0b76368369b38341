import { join } from 'node:path';
import { configDirectory } from '../settings/directories.ts';
import { readProfiles } from '../settings/read-profiles.ts';
import type { Runtime } from './runtime/runtime.ts';

/** Reads the user's aliases. Fails with local-file (14) for a file that cannot be used, and with usage (2) without a home directory. */
export const readAliases = (runtime: Runtime): Promise<Readonly<Record<string, string>>> =>
  new Promise((resolve) => {
    resolve(readProfiles(join(configDirectory(runtime), 'config.json'), runtime.user).aliases);
  });
