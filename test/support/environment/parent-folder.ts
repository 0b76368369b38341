import { spawnSync } from 'node:child_process';
import { accessSync, chmodSync, constants, mkdtempSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system in memory, on Linux. Much of the time of tests is for files on a disk: folders of worlds, and fsync. */
const IN_MEMORY = '/dev/shm';
/** What must be free: tests of a run need less than a third of it. */
const NEEDED_BYTES = 6 * 2 ** 30;

/**
 * The folder for the temporary files of a run: in memory where there is room and programs can be run in it, unless
 * BERTH_TEST_ON_DISK is set; else that of the caller, unless it is closed to the other users that root runs programs as.
 */
export function parentFolder(): string {
  if (process.env['BERTH_TEST_ON_DISK'] === undefined && hasRoomInMemory()) return IN_MEMORY;
  const folder = tmpdir();
  const isPrivate = process.getuid?.() === 0 && (statSync(folder).mode & 0o001) === 0;
  return isPrivate ? '/tmp' : folder;
}

function hasRoomInMemory(): boolean {
  try {
    accessSync(IN_MEMORY, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return Math.min(bavail * bsize, freemem()) >= NEEDED_BYTES && canRunPrograms();
  } catch {
    return false;
  }
}

/** False where it is mounted with `noexec`. */
function canRunPrograms(): boolean {
  const folder = mkdtempSync(join(IN_MEMORY, 'berth-'));
  try {
    const program = join(folder, 'program');
    writeFileSync(program, '#!/bin/sh\nexit 0\n');
    chmodSync(program, 0o700);
    return spawnSync(program).status === 0;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
