/* eslint-disable no-restricted-globals -- the local service answers in the web's own classes, and no plain command loads it */
import type { AddressInfo } from 'node:net';
import type { HttpBindings } from '@hono/node-server';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, usage } from '../../core/failure.ts';
import { DroppedConnection } from './dispatch.ts';
import { refusalOf } from './browser-guard.ts';
import type { LocalService } from '../service.ts';

export interface ServedService {
  /** `http://127.0.0.1:8181` */
  readonly url: string;
  readonly port: number;
  /** Breaks what is open and frees the port. Does not stop the service itself. */
  stop(): Promise<void>;
}

export interface ServeOptions {
  /** 0 for any free one. */
  readonly port: number;
  readonly host: '127.0.0.1' | '::1';
}

/** Serves a local service over HTTP on loopback. Fails with usage (2) where the port is taken or not to be had. */
export async function serveLocal(service: LocalService, { port, host }: ServeOptions): Promise<ServedService> {
  const { createAdaptorServer } = await import('@hono/node-server');
  const { RESPONSE_ALREADY_SENT } = await import('@hono/node-server/utils/response');
  const server = createAdaptorServer({
    hostname: host,
    overrideGlobalObjects: false,
    fetch: async (request, env) => {
      const { incoming } = env as HttpBindings;
      const answer = await answerOf(service, request);
      if (answer === undefined) {
        incoming.socket.destroy();
        return RESPONSE_ALREADY_SENT;
      }
      if (!(await readToEnd(incoming))) answer.headers.set('Connection', 'close');
      return answer;
    },
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(cannotListen(error, port));
    });
    server.listen(port, host, resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  return {
    port: bound,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${String(bound)}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        if ('closeAllConnections' in server) server.closeAllConnections();
      }),
  };
}

/** Undefined where the connection is to break in place of an answer. */
async function answerOf(service: LocalService, request: Request): Promise<Response | undefined> {
  const refusal = refusalOf(request);
  if (refusal !== undefined) return refused(refusal);
  try {
    return await service.fetch(request);
  } catch (error) {
    if (error instanceof DroppedConnection || request.signal.aborted) return undefined;
    return failed(error);
  }
}

const refused = (detail: string): Response =>
  new Response(JSON.stringify({ title: 'Forbidden', status: 403, detail }), {
    status: 403,
    headers: { 'Content-Type': 'application/problem+json' },
  });

/** Of a body that nobody wanted so much is read before the connection is closed: bytes. */
const MOST_DISCARDED = 256_000_000;

/**
 * Reads what is left of a request that was answered without it. On a kept connection it would be in the way of the next
 * request, and on a closed one the answer could be lost. False where it is more than anybody should send.
 */
function readToEnd(incoming: HttpBindings['incoming']): Promise<boolean> {
  if (incoming.complete || incoming.destroyed) return Promise.resolve(!incoming.destroyed || incoming.complete);
  return new Promise((resolve) => {
    let size = 0;
    const end = (): void => {
      incoming.off('data', count).off('end', end).off('close', end).pause();
      resolve(size <= MOST_DISCARDED && incoming.complete);
    };
    const count = (chunk: Uint8Array): void => {
      size += chunk.byteLength;
      if (size > MOST_DISCARDED) end();
    };
    incoming.on('data', count).once('end', end).once('close', end);
  });
}

/** What is no answer of the service but trouble of this program: its state file, or a bug. */
const failed = (error: unknown): Response =>
  new Response(
    JSON.stringify({
      title: 'Local Service Trouble',
      status: 500,
      detail: error instanceof Error ? error.message : String(error),
    }),
    { status: 500, headers: { 'Content-Type': 'application/problem+json' } },
  );

function cannotListen(error: NodeJS.ErrnoException, port: number): Failure {
  if (error.code === 'EADDRINUSE')
    return usage(`port ${String(port)} is in use`, 'Choose another one; --port 0 takes a free one.');
  if (error.code === 'EACCES')
    return usage(`port ${String(port)} is not allowed`, 'Choose one above 1023 with --port.');
  return new Failure({ code: 'usage', exit: EXIT.usage, message: `cannot listen: ${error.message}` }, error);
}
