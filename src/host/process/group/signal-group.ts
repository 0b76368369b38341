import { errorCode } from '../../../core/files/file-errors.ts';
import { readdirSync, readFileSync } from 'node:fs';

/** Sends a signal to all processes of a group. Nothing happens when there is none. */
export function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch {
    // The group is empty.
  }
}

/** Whether a process group has a process that runs. Zombies do not count: where nothing reaps them they stay forever. */
export function isGroupAlive(group: number): boolean {
  try {
    process.kill(-group, 0);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
  return hasRunningMember(group);
}

/** Looks in /proc; true where there is none. */
function hasRunningMember(group: number): boolean {
  let processes: readonly string[];
  try {
    processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return true;
  }
  return processes.length === 0 || processes.some((id) => isRunningMember(id, group));
}

function isRunningMember(id: string, group: number): boolean {
  try {
    // PID (NAME) STATE PARENT GROUP ...; the name may contain anything.
    const [state, , member] = (/.*\) (.*)$/s.exec(readFileSync(`/proc/${id}/stat`, 'utf8'))?.[1] ?? '').split(' ');
    return member === String(group) && state !== 'Z' && state !== 'X';
  } catch {
    return false;
  }
}
