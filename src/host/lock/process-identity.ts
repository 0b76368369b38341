import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Names one process among all that may share a file system. The later members are known on Linux only. */
export interface Identity {
  readonly pid: number;
  readonly host: string;
  /** The random id that the kernel made when it started: it names the machine and the boot. */
  readonly boot?: string;
  /** The PID namespace, and the time namespace that start times are relative to. */
  readonly namespace?: string;
  /** When the process started, in clock ticks since the boot. */
  readonly started?: string;
}

/** `stopped` is alive, and suspended by a signal; `unknown` cannot be decided from here. */
export type Life = 'alive' | 'stopped' | 'dead' | 'unknown';

/** The identity of this process. */
export function ownIdentity(): Identity {
  const named = { pid: process.pid, host: hostname() };
  try {
    // In a PID namespace that has no /proc of its own, /proc shows the numbers of another namespace.
    if (readlinkSync('/proc/self') !== String(process.pid)) return named;
    const started = statOf(process.pid)?.started;
    if (started === undefined) return named;
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return { ...named, boot, namespace: `${readlinkSync('/proc/self/ns/pid')} ${timeNamespace()}`, started };
  } catch {
    return named;
  }
}

/**
 * What this process can tell of another one. Only the same boot of the same kernel and the same PID namespace allow a
 * verdict: host names and machine ids are copied with images, so equal ones prove nothing.
 */
export function lifeOf(other: Identity, self: Identity): Life {
  if (self.boot === undefined || other.boot !== self.boot || other.namespace !== self.namespace) return 'unknown';
  try {
    process.kill(other.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return 'dead';
    // EPERM: some process of another user has that number. Whether it is the same one, its start time tells.
  }
  const stat = statOf(other.pid);
  // Gone in between, or hidden from other users.
  if (stat === undefined) return 'unknown';
  if (stat.started !== other.started) return 'dead';
  // A zombie runs no more; only its parent has not asked for its exit code.
  if (/[ZXx]/.test(stat.state)) return 'dead';
  return /[Tt]/.test(stat.state) ? 'stopped' : 'alive';
}

/** State and start time of a process, where the system shows them. */
function statOf(pid: number): { readonly state: string; readonly started: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    // The second field is the program's name in parentheses, which may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, started] = [fields[0], fields[19]];
    return state === undefined || started === undefined ? undefined : { state, started };
  } catch {
    return undefined;
  }
}

/** Empty on kernels that have no time namespaces. */
function timeNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/time');
  } catch {
    return '';
  }
}
