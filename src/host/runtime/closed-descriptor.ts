import { readFileSync, readlinkSync } from 'node:fs';

/** The access mode in the flags of a descriptor, and the mode for reading and writing. */
const ACCESS_MODE = 3;
const READ_AND_WRITE = 2;

/**
 * True when a descriptor was closed at the start of this process, as after `>&-`. Node opens the null device in its place, for
 * reading and writing; a shell opens it for writing alone. Some programs start others like that too. False where the system
 * does not tell.
 */
export function wasClosed(descriptor: number): boolean {
  try {
    if (readlinkSync(`/proc/self/fd/${String(descriptor)}`) !== '/dev/null') return false;
    const info = readFileSync(`/proc/self/fdinfo/${String(descriptor)}`, 'utf8');
    const flags = /^flags:\s*([0-7]+)$/m.exec(info)?.[1] ?? '0';
    return (Number.parseInt(flags, 8) & ACCESS_MODE) === READ_AND_WRITE;
  } catch {
    return false;
  }
}
