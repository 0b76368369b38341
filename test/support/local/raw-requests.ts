import { Agent, request, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { onTestFinished } from 'vitest';
import { LOCAL_KEY } from '../../../src/local/http/admission.ts';
import { serveLocal } from '../../../src/local/http/server.ts';
import { localFixture } from './service-fixture.ts';

interface RawAnswer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Whether the connection of the request before was kept. */
  readonly reused: boolean;
}

/** A local service on a free port. `ask` sends requests one after the other on one connection, with exactly the given headers. */
export async function servedRaw() {
  const fixture = localFixture();
  const server = await serveLocal(fixture.service, { port: 0, host: '127.0.0.1' });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(async () => {
    agent.destroy();
    await server.stop();
  });
  const ask = (method: string, path: string, headers: OutgoingHttpHeaders = {}, body?: Uint8Array | string) =>
    new Promise<RawAnswer>((resolve, reject) => {
      const all = { Authorization: `Bearer ${LOCAL_KEY}`, ...headers };
      const sent = request({ host: '127.0.0.1', port: server.port, method, path, headers: all, agent });
      sent.once('error', reject);
      sent.once('response', (answer) => {
        answer.resume().once('end', () => {
          resolve({ status: answer.statusCode, headers: answer.headers, reused: sent.reusedSocket });
        });
      });
      sent.end(body);
    });
  return { ...fixture, ask, port: server.port };
}
