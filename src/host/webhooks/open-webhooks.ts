import { join } from 'node:path';
import type { Webhooks } from '../../core/ports/webhooks.ts';
import { post } from '../../http/post.ts';
import { createTransport } from '../../http/wire/client.ts';
import type { Settings } from '../../settings/create-settings.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { listen } from './listener.ts';
import { openStore } from './store.ts';

export interface HostWebhooksOptions {
  readonly runtime: Pick<Runtime, 'env' | 'clock' | 'random' | 'user'>;
  readonly settings: Settings;
  readonly signal: AbortSignal;
}

/** Opens what receives, keeps and sends webhooks, with the settings of this run. It has no key to send. */
export function openHostWebhooks({
  runtime: { env, clock, random, user },
  settings,
  signal,
}: HostWebhooksOptions): Webhooks & { close(): Promise<void> } {
  const transport = createTransport({ env });
  return {
    ...openStore({
      folder: join(settings.dataDirectory, 'webhooks'),
      // eslint-disable-next-line no-restricted-syntax -- a date: it is shown
      date: () => Math.round(clock.now()),
      random,
      user,
    }),
    listen,
    post: async (url, headers, body) =>
      await post({ transport, clock, signal, timeoutMs: settings.get('timeout') }, url, headers, body),
    close: () => transport.close(),
  };
}
