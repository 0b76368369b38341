import { version } from '../../../package.json';
import type { Downloads, Sink } from '../../core/context.ts';
import { say, type TerminalText } from '../../core/safe-text.ts';
import { createDownloads } from '../../http/download.ts';
import { createTransport } from '../../http/wire/client.ts';
import { traceLine } from '../../http/trace.ts';
import type { Settings } from '../../settings/create-settings.ts';
import type { Runtime } from '../runtime/runtime.ts';

export interface HostDownloadsOptions {
  readonly runtime: Pick<Runtime, 'env' | 'clock' | 'random'>;
  readonly settings: Settings;
  readonly signal: AbortSignal;
  readonly stderr: Sink<TerminalText>;
}

/** Opens downloads with the settings of this run. It has no key to send. */
export function openHostDownloads({ runtime, settings, signal, stderr }: HostDownloadsOptions): Downloads {
  const { env, clock, random } = runtime;
  return createDownloads({
    transport: createTransport({ env }),
    clock,
    random,
    signal,
    retries: settings.get('retries'),
    timeoutMs: settings.get('timeout'),
    userAgent: `berth/${version}`,
    ...(settings.get('verbose') ? { trace: (event) => void stderr.write(say`${traceLine(event)}\n`) } : {}),
  });
}
