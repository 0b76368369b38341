/* eslint-disable no-restricted-globals -- the local service answers in the web's own classes, and no plain command loads it */
import type { AddressInfo } from 'node:net';
import type { HttpBindings } from '@hono/node-server';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, usage } from '../../core/failure.ts';
import { DroppedConnection } from './fault-effects.ts';
import { refusalReason } from './browser-guard.ts';

/** What answers the requests: rejects with DroppedConnection when the connection is to be closed. */
export interface RequestHandler {
  fetch(request: Request): Promise<Response>;
}

export interface ServedService {
  /** `http://127.0.0.1:8181` */
  readonly url: string;
  readonly port: number;
  /** Closes all connections and the port. Does not stop the service itself. */
  stop(): Promise<void>;
}

export interface ServeOptions {
  /** 0 for any free port. */
  readonly port: number;
  readonly host: '127.0.0.1' | '::1';
}

/** Serves a local service over HTTP on loopback. Fails with usage (2) when the port is in use or cannot be opened. */
export async function serveLocal(service: RequestHandler, { port, host }: ServeOptions): Promise<ServedService> {
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
      if (!(await discardRest(incoming))) answer.headers.set('Connection', 'close');
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

/** Undefined when the connection is to be closed without an answer. */
async function answerOf(service: RequestHandler, request: Request): Promise<Response | undefined> {
  const refusal = refusalReason(request);
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

/** How many bytes of an unread body are discarded before the connection is closed. */
const MAX_DISCARDED_BYTES = 256_000_000;

/**
 * Reads the rest of a request that was answered before its end: on a kept-alive connection it would precede the next
 * request, and on a closed one the answer could be lost. Returns false when the rest is too large.
 */
function discardRest(incoming: HttpBindings['incoming']): Promise<boolean> {
  if (incoming.complete || incoming.destroyed) return Promise.resolve(!incoming.destroyed || incoming.complete);
  return new Promise((resolve) => {
    let size = 0;
    const end = (): void => {
      incoming.off('data', count).off('end', end).off('close', end).pause();
      resolve(size <= MAX_DISCARDED_BYTES && incoming.complete);
    };
    const count = (chunk: Uint8Array): void => {
      size += chunk.byteLength;
      if (size > MAX_DISCARDED_BYTES) end();
    };
    incoming.on('data', count).once('end', end).once('close', end);
  });
}

/** The answer when this program fails: its state file, or a bug. */
const failed = (error: unknown): Response =>
  new Response(
    JSON.stringify({
      title: 'Local Service Error',
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
