import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeDirectory } from '../../core/make-directory.ts';

/** Reads a small JSON object; an empty one where the file is missing or is anything else. */
export function readObject(path: string): Readonly<Record<string, unknown>> {
  try {
    const document: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isRecord(document) ? { ...document } : {};
  } catch {
    return {};
  }
}

/** Replaces a file by a small JSON object, atomically and with mode 0600. Creates its directory. Fails as the system does. */
export function writeObject(path: string, document: Readonly<Record<string, unknown>>, random: () => number): void {
  makeDirectory({ mkdirSync, statSync, dirname }, dirname(path), 0o700);
  const temporary = `${path}.${random().toString(36).slice(2)}.tmp`;
  try {
    writeFileSync(temporary, `${JSON.stringify(document)}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
