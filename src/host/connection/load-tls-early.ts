import type { Runtime } from '../runtime/runtime.ts';
import { hostSettings } from '../runtime/settings.ts';

/** Words of a command line that sends no request over https. */
const OFFLINE_WORDS: readonly string[] = ['--local', '--dry-run', '--help', '-h', 'batch'];

/**
 * Loads Node's TLS module before the rest of the program when the address of the service is https. From Node 22 on, that
 * module reads the trusted certificates on another thread, which takes as long as loading the rest.
 *
 * This is a guess from words that are not parsed yet. A wrong one costs time only: nothing is sent, and no connection is
 * opened. Settings that cannot be read are reported later, by the command.
 */
export function loadTlsEarly(argv: readonly string[], runtime: Runtime): void {
  if (argv.some((word) => OFFLINE_WORDS.includes(word))) return;
  try {
    const settings = hostSettings(runtime, {});
    if (settings.local || settings.get('base-url')?.startsWith('https:') !== true) return;
    // Both threads use the same locks while the crypto module loads, so it is loaded before the other thread starts.
    process.getBuiltinModule('node:crypto');
    process.getBuiltinModule('node:tls');
  } catch {
    // The command reads the settings again, and fails with the reason.
  }
}
