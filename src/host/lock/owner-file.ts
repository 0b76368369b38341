import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import type { Identity } from './process-identity.ts';

/** What the owner file in a lock says. */
export interface Owner {
  /** Undefined where the file is broken, as after a power cut. */
  readonly identity: Identity | undefined;
  /** The whole file. Its holder changes it at every beat: two different texts are a sign of life. */
  readonly text: string;
}

/** Digits of the number of the last beat, which is overwritten in place. */
const BEAT_DIGITS = 12;

const beatText = (beat: number): string => String(beat).padStart(BEAT_DIGITS, '0');

/** Makes the owner file of a lock that is not in its place yet. */
export function createOwner(file: string, identity: Identity): void {
  writeFileSync(file, `${JSON.stringify(identity)}\n${beatText(0)}\n`, { mode: 0o600, flag: 'wx' });
}

/** Changes the owner file. Fails with ENOENT where the lock was taken over: it is never made anew. */
export function writeBeat(file: string, identity: Identity, beat: number): void {
  // Opened for each beat: on a network file system only a close makes other machines see what was written.
  const descriptor = openSync(file, 'r+');
  try {
    writeSync(descriptor, beatText(beat), Buffer.byteLength(JSON.stringify(identity)) + 1);
  } finally {
    closeSync(descriptor);
  }
}

/** Reads an owner file; undefined where there is none. */
export function readOwner(file: string): Owner | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
  return { identity: parseIdentity(text.split('\n', 1)[0] ?? ''), text };
}

/** True where this owner file is in its place. Opened rather than looked up: a network file system then asks its server. */
export function isOwned(file: string): boolean {
  try {
    closeSync(openSync(file, 'r'));
    return true;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

/** The error says that a file, or a directory on the way to it, is not there any more. */
export function isGone(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ESTALE';
}

function parseIdentity(line: string): Identity | undefined {
  try {
    const { pid, host, boot, namespace, started } = JSON.parse(line) as Partial<Record<keyof Identity, unknown>>;
    if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0 || typeof host !== 'string') return undefined;
    if (typeof boot !== 'string' || typeof namespace !== 'string' || typeof started !== 'string') return { pid, host };
    return { pid, host, boot, namespace, started };
  } catch {
    return undefined;
  }
}
