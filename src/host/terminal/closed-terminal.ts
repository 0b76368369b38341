import { closeSync, fstatSync, statSync } from 'node:fs';

const STANDARD_STREAMS = [0, 1, 2];

/**
 * Closes the standard streams whose terminal is gone, for the end of the process. Node sets the terminal back to its first
 * state then, and aborts with a core file when the terminal does not answer; it leaves closed streams alone.
 */
export function closeStreamsOfClosedTerminal(): void {
  for (const descriptor of STANDARD_STREAMS) {
    try {
      const stats = fstatSync(descriptor);
      // The null device is no terminal. It is the most frequent such device, and loading the module takes time.
      if (!stats.isCharacterDevice() || stats.rdev === statSync('/dev/null').rdev) continue;
      if (!process.getBuiltinModule('node:tty').isatty(descriptor)) closeSync(descriptor);
    } catch {
      // It is closed already.
    }
  }
}
