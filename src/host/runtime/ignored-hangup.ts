import { readFileSync, readlinkSync } from 'node:fs';

type Environment = Readonly<Record<string, string | undefined>>;

/** SIGHUP is signal 1: the lowest bit of a signal mask. */
const SIGHUP_BIT = 1n;
const ACCESS_MODE = 3;
const WRITE_ONLY = 1;

/**
 * True when this process was started with SIGHUP ignored. Node resets that at its start, so it is detected indirectly:
 * the shell's variable `_` names nohup; or nohup opened /dev/null for writing as standard input; or the live parent
 * ignores SIGHUP, as a script under nohup or after `trap '' HUP` does. It reads files, so call it only when the signal
 * arrives.
 */
export function isHangupIgnored(env: Environment, parent: number): boolean {
  return /(^|\/)nohup$/.test(env['_'] ?? '') || hasNohupStdin() || ignoresHangup(parent);
}

function hasNohupStdin(): boolean {
  const flags = matchInFile('/proc/self/fdinfo/0', /^flags:\s*([0-7]+)$/m);
  if (flags === undefined || (Number.parseInt(flags, 8) & ACCESS_MODE) !== WRITE_ONLY) return false;
  try {
    return readlinkSync('/proc/self/fd/0') === '/dev/null';
  } catch {
    return false;
  }
}

function ignoresHangup(process: number): boolean {
  // Process 1 is the parent of an orphan; it did not start this process.
  if (process <= 1) return false;
  const mask = matchInFile(`/proc/${String(process)}/status`, /^SigIgn:\s*([0-9a-f]+)$/m);
  return mask !== undefined && (BigInt(`0x${mask}`) & SIGHUP_BIT) !== 0n;
}

/** Returns the first group that a pattern matches in a file; undefined without a match or without the file. */
function matchInFile(path: string, pattern: RegExp): string | undefined {
  try {
    return pattern.exec(readFileSync(path, 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}
