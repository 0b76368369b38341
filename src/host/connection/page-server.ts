import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PageOptions } from '../../core/context.ts';
import { messageOf, usage } from '../../core/failure.ts';

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
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      reject(usage(`cannot listen at ${address}:${port}: ${messageOf(error)}`, 'Use another port.'));
    });
    server.listen(port, address, resolve);
  });
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `http://${address.includes(':') ? `[${address}]` : address}:${bound}`,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
