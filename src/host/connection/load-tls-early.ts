import type { Runtime } from '../runtime/runtime.ts';
import { hostSettings } from '../runtime/settings.ts';

/** Words of a command line that sends no https request. */
const OFFLINE_WORDS: readonly string[] = ['--local', '--dry-run', '--help', '-h', 'batch'];

/** TLS reads certificates on another thread from Node 22: overlap it. A wrong guess only costs time. */
export function loadTlsEarly(argv: readonly string[], runtime: Runtime): void {
  if (argv.some((word) => OFFLINE_WORDS.includes(word))) return;
  try {
    const settings = hostSettings(runtime, {});
    if (settings.local || settings.get('base-url')?.startsWith('https:') !== true) return;
    // Loading crypto takes the same locks on both threads: load it before the other thread starts.
    process.getBuiltinModule('node:crypto');
    process.getBuiltinModule('node:tls');
  } catch {
    // The command reads the settings again, and fails with the reason.
  }
}
