/** Trees of files with random content, and their comparison by SHA-256. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, stat } from 'node:fs/promises';
import path from 'node:path';

const MIB = 1_048_576;

/** Sizes in bytes: around those at which a transfer changes its way. */
const SIZES = [0, 1, 100, 4096, 262_144, 262_145, 3 * MIB, 16 * MIB + 1, 20 * MIB, 64 * MIB + 1];

/** The size of the largest file: sparse, with some bytes in it. */
const SPARSE_BYTES = 3 * 1024 * MIB;

const NAMES = ['a', 'b.txt', 'with space', 'ünïcode', 'per%cent#?&+', 'd/e', 'd/f', 'd/deep/er/file', 'z'];

/** Makes a tree of files below a folder; in a short trial, one of them may be large. Returns how many bytes it has. */
export async function makeTree(folder, random, isLarge, isShort) {
  let bytes = 0;
  let mostBytes = Infinity;
  for (const name of NAMES.filter(() => random.chance(0.6)).concat('last')) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    const size = Math.min(random.pick(SIZES), mostBytes);
    if (isShort && size > 3 * MIB) mostBytes = 3 * MIB;
    const handle = await open(file, 'w');
    // Not all the same, so that a range in the wrong place is seen.
    const block = Buffer.from(random.hex(2000));
    for (let at = 0; at < size; at += block.byteLength) {
      block.writeUInt32LE(at, 0);
      await handle.write(block, 0, Math.min(block.byteLength, size - at), at);
    }
    await handle.close();
    bytes += size;
  }
  if (isLarge) {
    const handle = await open(path.join(folder, 'sparse'), 'w');
    await handle.truncate(SPARSE_BYTES);
    for (let each = 0; each < 20; each += 1) await handle.write(random.hex(64), random.int(0, SPARSE_BYTES - 64));
    await handle.close();
    bytes += SPARSE_BYTES;
  }
  return bytes;
}

/** The SHA-256 of each file below a folder, by its path. Hidden files and those that are no files of a user count too. */
export async function digestsOf(folder) {
  const found = {};
  for (const name of (await readdir(folder, { recursive: true })).sort()) {
    const file = path.join(folder, name);
    if (!(await stat(file)).isFile()) continue;
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(file, { highWaterMark: MIB })) hash.update(chunk);
    found[name] = hash.digest('hex');
  }
  return found;
}
