import { errorCode } from '../../core/files/file-errors.ts';
import { randomUUID } from 'node:crypto';
import { promises as fs } from 'node:fs';
import type { utils } from 'ssh2';

/**
 * The private host key in a file, which is made where it is missing. Of several processes that make it at once, all get the same
 * key. Rejects as the file system does.
 */
export async function hostKeyOf(file: string, make: () => string): Promise<string> {
  const known = await read(file);
  if (known !== undefined) return known;
  const own = `${file}.${randomUUID()}`;
  await fs.writeFile(own, make(), { mode: 0o600, flag: 'wx' });
  try {
    // A link appears whole, and never in the place of another file.
    await fs.link(own, file).catch((error: unknown) => {
      if (errorCode(error) !== 'EEXIST') throw error;
    });
  } finally {
    await fs.rm(own, { force: true });
  }
  return await fs.readFile(file, 'utf8');
}

/**
 * A new private host key that can be read. The package leaves a zero byte at the start of a key out, and then writes one that
 * no program can read: of 1000, about seven.
 */
export function makeHostKey({
  generateKeyPairSync,
  parseKey,
}: Pick<typeof utils, 'generateKeyPairSync' | 'parseKey'>): string {
  for (;;) {
    const key = generateKeyPairSync('ed25519').private;
    if (!(parseKey(key) instanceof Error)) return key;
  }
}

async function read(file: string): Promise<string | undefined> {
  try {
    return await fs.readFile(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
