import { errorCode } from '../../core/files/file-errors.ts';
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { isObject } from '../../core/json.ts';
import type { Identity } from './process-identity.ts';

/** The content of the owner file in a lock. */
export interface Owner {
  /** Undefined when the file is damaged, for example after a power failure. */
  readonly identity: Identity | undefined;
  /** The whole file. Its holder changes it with every heartbeat, so a changed text shows that the holder is alive. */
  readonly text: string;
}

/** Digits of the heartbeat counter, which is overwritten in place. */
const BEAT_DIGITS = 12;

const formatBeat = (beat: number): string => String(beat).padStart(BEAT_DIGITS, '0');

/** Creates the owner file of a prepared lock. */
export function createOwner(file: string, identity: Identity): void {
  writeFileSync(file, `${JSON.stringify(identity)}\n${formatBeat(0)}\n`, { mode: 0o600, flag: 'wx' });
}

/** Writes a heartbeat to the owner file. Fails with ENOENT when the lock was taken over: the file is never recreated. */
export function writeHeartbeat(file: string, identity: Identity, beat: number): void {
  // Opened for each heartbeat: on a network file system, other machines see the change only after a close.
  const descriptor = openSync(file, 'r+');
  try {
    writeSync(descriptor, formatBeat(beat), Buffer.byteLength(JSON.stringify(identity)) + 1);
  } finally {
    closeSync(descriptor);
  }
}

/** Reads an owner file; returns undefined when there is none. */
export function readOwner(file: string): Owner | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  return { identity: parseIdentity(text.split('\n', 1)[0] ?? ''), text };
}

/** True when the owner file exists. It is opened and not looked up, so that a network file system asks its server. */
export function isOwned(file: string): boolean {
  try {
    closeSync(openSync(file, 'r'));
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** True for an error which says that a file, or a directory above it, does not exist any more. */
export function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ESTALE'].includes(errorCode(error) ?? '');
}

function parseIdentity(line: string): Identity | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (!isObject(value)) return undefined;
    const { pid, host, boot, namespace, started } = value;
    if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0 || typeof host !== 'string') return undefined;
    if (typeof boot !== 'string' || typeof namespace !== 'string' || typeof started !== 'string') return { pid, host };
    return { pid, host, boot, namespace, started };
  } catch {
    return undefined;
  }
}
