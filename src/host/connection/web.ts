/** Requests to addresses of the user's own: without the key of the account. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import { version } from '../../../package.json';
import { boundAddress, webAddress } from '../../core/addresses.ts';
import type { Context, PageOptions } from '../../core/context.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, messageOf, usage } from '../../core/failure.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { readBody } from '../../http/answer.ts';
import { Ending, WireError } from '../../http/transport.ts';

const TRY_MS: Milliseconds = 5000;
const WAITS_MS: readonly Milliseconds[] = [500, 1000];
const MOST_BYTES = 1024 * 1024;

/** Follows no redirect. The address is not in messages: it may hold a token. */
export async function sendToWeb(
  { env, clock }: Pick<Runtime, 'env' | 'clock'>,
  interrupt: AbortSignal,
  { method, url: text, body }: Parameters<Context['web']>[0],
): Promise<string> {
  const { createTransport } = await import('../../http/wire/client.ts');
  const url = webAddress(text, 'address');
  const transport = createTransport({ env });
  const failed = (why: string): Failure =>
    new Failure({ code: 'web', exit: EXIT.unavailable, message: `${url.hostname} ${why}` });
  const sendOnce = async (): Promise<string | Failure> => {
    const ending = new Ending();
    const cancel = clock.deadline(TRY_MS, ending.end.bind(ending, new Error('too late')));
    interrupt.addEventListener('abort', ending.end.bind(ending, new Error('interrupted')));
    try {
      const headers = { 'user-agent': `berth/${version}`, 'content-type': 'application/json' };
      const bytes = body === undefined ? undefined : Buffer.from(body);
      const answer = await transport({ method, url: url.href, headers, body: bytes, ending });
      if (answer.status >= 500) return failed(`answered ${String(answer.status)}`);
      if (answer.status < 200 || answer.status >= 300) throw failed(`answered ${String(answer.status)}`);
      if (method === 'POST') return '';
      const read = await readBody(answer.body, answer.headers['content-encoding'], MOST_BYTES);
      return read?.toString() ?? failed('answered more than 1 MiB');
    } catch (error) {
      interrupt.throwIfAborted();
      if (!(error instanceof WireError)) throw error;
      return failed(ending.reason !== undefined ? 'did not answer in 5s' : `is not reachable: ${error.message}`);
    } finally {
      cancel();
    }
  };
  try {
    for (let tries = 0; ; tries += 1) {
      const found = await sendOnce();
      if (typeof found === 'string') return found;
      const waitMs = WAITS_MS[tries];
      if (waitMs === undefined) throw found;
      await clock.sleep(waitMs, interrupt);
    }
  } finally {
    await transport.close();
  }
}

/** Serves one page to programs, not to the pages of a browser. Usage (2) where it cannot listen. */
export async function servePage({ address, port, path, type, page }: PageOptions) {
  const server = createServer((request, response) => {
    const answer = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): void => {
      response.writeHead(status, headers).end(request.method === 'HEAD' ? undefined : body);
    };
    if (request.headers.origin !== undefined) answer(403, '');
    else if (request.url?.split('?', 1)[0] !== path) answer(404, '');
    else if (request.method !== 'GET' && request.method !== 'HEAD') answer(405, '');
    else
      page().then(
        (body) => {
          answer(200, body, { 'content-type': type });
        },
        (error: unknown) => {
          answer(503, `${messageOf(error)}\n`);
        },
      );
  });
  server.listen(port, address);
  await once(server, 'listening').catch((error: unknown) => {
    throw usage(`cannot listen at ${address}:${port}: ${messageOf(error)}`, 'Use another port.');
  });
  return {
    url: `http://${address.includes(':') ? `[${address}]` : address}:${boundAddress(server).port}`,
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
