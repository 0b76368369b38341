import { join } from 'node:path';
import { directoryOf, readProfiles } from '../settings/read-profiles.ts';
import type { Runtime } from './runtime/runtime.ts';

/** Local-file (14) for an unusable file, usage (2) without a home directory. */
export const readAliases = (runtime: Runtime): Promise<Readonly<Record<string, string>>> =>
  new Promise((resolve) => {
    resolve(readProfiles(join(directoryOf('config', runtime), 'config.json'), runtime.user).aliases);
  });
