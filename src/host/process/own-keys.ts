/** Key pairs without a passphrase for pods that berth makes, in its own folder. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { OwnKeys } from '../../core/context.ts';
import { localFile } from '../../core/failure.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { startProgram } from './programs.ts';

export const ownKeys = (runtime: Runtime, folder: string): OwnKeys => ({
  make: async (name) => {
    const file = join(folder, name);
    const words = ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', file];
    const ignored = (): void => undefined;
    const program = await startProgram(runtime, 'ssh-keygen', words, { onOutput: ignored, onError: ignored });
    if ((await program.ended) !== 0) throw localFile(`ssh-keygen could not make ${file}`);
    return file;
  },
  find: (name) => {
    const file = join(folder, name);
    return existsSync(file) ? file : undefined;
  },
  remove: (name) => {
    for (const file of [name, `${name}.pub`]) rmSync(join(folder, file), { force: true });
  },
});
