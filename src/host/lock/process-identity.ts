import { errorCode } from '../../core/files.ts';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Unique among all processes that may share a file system. Optional members: Linux only. */
export interface Identity {
  readonly pid: number;
  readonly host: string;
  /** The kernel's random boot id: identifies machine and boot. */
  readonly boot?: string;
  /** PID namespace, and the time namespace that start times are relative to. */
  readonly namespace?: string;
  /** In clock ticks since the boot. */
  readonly started?: string;
}

/** `stopped`: suspended by a signal. `unknown`: this process cannot tell. */
export type ProcessState = 'alive' | 'stopped' | 'dead' | 'unknown';

export function ownIdentity(): Identity {
  const basic = { pid: process.pid, host: hostname() };
  try {
    // In a PID namespace without its own /proc, /proc shows the process ids of another namespace.
    if (readlinkSync('/proc/self') !== String(process.pid)) return basic;
    const started = statOf(process.pid)?.started;
    if (started === undefined) return basic;
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return { ...basic, boot, namespace: `${readlinkSync('/proc/self/ns/pid')} ${timeNamespace()}`, started };
  } catch {
    return basic;
  }
}

/** Only within one boot and PID namespace: equal host names prove nothing (copied images). */
export function stateOf(other: Identity, self: Identity): ProcessState {
  if (self.boot === undefined || other.boot !== self.boot || other.namespace !== self.namespace) return 'unknown';
  try {
    process.kill(other.pid, 0);
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return 'dead';
    // EPERM: a process of another user has that pid. Its start time tells whether it is the same process.
  }
  const stat = statOf(other.pid);
  if (stat === undefined) return 'unknown';
  if (stat.started !== other.started) return 'dead';
  // A zombie has ended; its parent has not read its exit code yet.
  if (/[ZXx]/.test(stat.state)) return 'dead';
  return /[Tt]/.test(stat.state) ? 'stopped' : 'alive';
}

/** Undefined when the system does not show them. */
function statOf(pid: number): { readonly state: string; readonly started: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    // The second field is the program's name in parentheses, which may contain spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, started] = [fields[0], fields[19]];
    return state === undefined || started === undefined ? undefined : { state, started };
  } catch {
    return undefined;
  }
}

/** Empty on kernels without time namespaces. */
function timeNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/time');
  } catch {
    return '';
  }
}
