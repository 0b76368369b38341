import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { localFile } from '../../../core/failure.ts';
import { errorReason } from '../../../core/files.ts';
import type { FileSystem } from './file-system.ts';
import { START_OVER } from './load-state.ts';
import type { LongTexts } from './long-texts.ts';

export interface TextFolder {
  /** Fails with local-file (14). */
  read(name: string): string;
  /** Fails as the file system does. */
  write(texts: ReadonlyMap<string, string>): Promise<void>;
  remove(names: readonly string[]): Promise<void>;
  /** Removes what killed processes left behind: texts that no record has, and files that were being written. */
  sweep(texts: LongTexts): Promise<void>;
}

const TEMPORARY_SUFFIX = '.part';

export function textFolder(path: string, system: FileSystem): TextFolder {
  const folder = `${path}.texts`;
  const remove = async (names: readonly string[]): Promise<void> => {
    for (const name of names) await system.remove(join(folder, name));
  };
  return {
    read: (name) => {
      const file = join(folder, name);
      try {
        return readFileSync(file, 'utf8');
      } catch (error) {
        throw localFile(
          `cannot read a text of the local service's state, ${file}: ${errorReason(error)}`,
          START_OVER,
          error,
        );
      }
    },
    write: async (texts) => {
      if (texts.size > 0) await system.createFolder(folder);
      for (const [name, text] of texts) {
        const target = join(folder, name);
        await createTemporary(system, target, [text], (temporary) => system.rename(temporary, target));
      }
    },
    remove,
    sweep: async (texts) => {
      const names = await readdir(folder).catch(() => []);
      await remove(names.filter((name) => !texts.has(name)));
      for (const name of await readdir(dirname(path)))
        if (name.startsWith(`${basename(path)}.`) && name.endsWith(TEMPORARY_SUFFIX))
          await system.remove(join(dirname(path), name));
    },
  };
}

/** `move` puts it in its place. Removes it when that fails. */
export async function createTemporary(
  system: FileSystem,
  target: string,
  pieces: Iterable<string>,
  move: (temporary: string) => Promise<void>,
): Promise<void> {
  const temporary = `${target}.${randomUUID()}${TEMPORARY_SUFFIX}`;
  try {
    await system.create(temporary, pieces);
    await move(temporary);
  } catch (error) {
    // The disk may be full.
    await system.remove(temporary).catch(() => undefined);
    throw error;
  }
}
