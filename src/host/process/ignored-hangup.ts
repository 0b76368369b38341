import { readFileSync, readlinkSync } from 'node:fs';

type Environment = Readonly<Record<string, string | undefined>>;

/** SIGHUP is signal 1, the lowest bit of a mask. */
const SIGHUP_BIT = 1n;
const ACCESS_MODE = 3;
const WRITE_ONLY = 1;

/**
 * Whether whoever started this process asked for SIGHUP to be ignored. Node forgets that when it starts, so it is told
 * from what is left: the shell's `_` names nohup; nohup gave the process a standard input that cannot be read; or the
 * parent, while it lives, ignores SIGHUP, as a script under nohup or after `trap '' HUP` does. To be called when the
 * signal arrives: it reads files.
 */
export function isHangupIgnored(env: Environment, parent: number): boolean {
  return /(^|\/)nohup$/.test(env['_'] ?? '') || hasInputOfNohup() || ignoresHangup(parent);
}

function hasInputOfNohup(): boolean {
  const flags = readLine('/proc/self/fdinfo/0', /^flags:\s*([0-7]+)$/m);
  if (flags === undefined || (Number.parseInt(flags, 8) & ACCESS_MODE) !== WRITE_ONLY) return false;
  try {
    return readlinkSync('/proc/self/fd/0') === '/dev/null';
  } catch {
    return false;
  }
}

function ignoresHangup(process: number): boolean {
  // The first process of a system or container did not start this one to be immune: it took over an orphan.
  if (process <= 1) return false;
  const mask = readLine(`/proc/${String(process)}/status`, /^SigIgn:\s*([0-9a-f]+)$/m);
  return mask !== undefined && (BigInt(`0x${mask}`) & SIGHUP_BIT) !== 0n;
}

/** What a pattern finds in a file of the system; undefined where there is none, as on systems without /proc. */
function readLine(path: string, pattern: RegExp): string | undefined {
  try {
    return pattern.exec(readFileSync(path, 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}
