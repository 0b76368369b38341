import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Contract, Sent } from './contract.ts';
import { sample, type Members } from './sample.ts';

/** Members that an answer has in addition to the minimal ones, by operation such as `GET /v2/pods/{id}`. */
export type Answers = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export interface Recorder {
  /** The address of the management API. The queue API and the v1 API have other paths, to keep the requests apart. */
  readonly env: Readonly<Record<string, string>>;
  /** Returns the management requests since the last call, in order. */
  take(answers?: Answers): readonly Sent[];
  close(): void;
}

/**
 * A server that records requests and answers each operation with the minimal answer of its contract, or one with all
 * members. `change` can modify the value of each answer; `writeAnswer` is the body of each answer to a write, where it
 * returns one.
 */
export async function record(
  contract: Contract,
  change: (value: unknown) => unknown = (value) => value,
  writeAnswer: () => string | undefined = () => undefined,
  members: Members = 'required',
): Promise<Recorder> {
  let sent: Sent[] = [];
  let answers: Answers = {};
  /** The bodies of PUT requests by path: later GET requests return them. */
  let kept = new Map<string, object>();
  let retried = false;
  const server = createServer((request, response) => {
    response.sendDate = false;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const url = new URL(request.url ?? '', 'http://recorder');
      const [, service = '', path = ''] = /^\/(base|queue|rest)(\/.*)$/.exec(url.pathname) ?? [];
      const { method = '', headers } = request;
      const body = method === 'GET' ? undefined : writeAnswer();
      if (body !== undefined) {
        response.writeHead(200, { 'content-type': 'application/json' }).end(body);
        return;
      }
      if (service !== 'base') {
        retried ||= path.includes('/retry/');
        queueAnswer(path, retried, response, change);
        return;
      }
      const one = { method, path, query: url.searchParams, headers, body: Buffer.concat(chunks).toString() };
      sent.push(one);
      if (method === 'PUT') kept.set(path, one.body === '' ? {} : (JSON.parse(one.body) as object));
      answer(contract, one, { answers, kept: kept.get(path), change, members }, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return {
    env: {
      BERTH_BASE_URL: `${url}/base`,
      BERTH_QUEUE_URL: `${url}/queue`,
      BERTH_API_KEY: 'key-of-the-recorder',
    },
    take: (next = {}) => {
      const taken = sent;
      sent = [];
      answers = next;
      kept = new Map();
      retried = false;
      return taken;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

interface Told {
  readonly answers: Answers;
  readonly kept: object | undefined;
  readonly change: (value: unknown) => unknown;
  readonly members: Members;
}

function answer(
  contract: Contract,
  one: Sent,
  { answers, kept, change, members }: Told,
  response: ServerResponse,
): void {
  const operation = contract.operationOf(one);
  if (operation === undefined) {
    response.writeHead(404, { 'content-type': 'application/problem+json' });
    response.end('{"title":"Not Found","status":404,"detail":"no such operation"}');
    return;
  }
  const { status, type, schema } = operation.answer;
  if (type === undefined || schema === undefined) {
    response.writeHead(status).end();
    return;
  }
  response.writeHead(status, { 'content-type': type });
  if (type === 'text/event-stream') {
    const line = { ts: '2026-01-01T00:00:00Z', source: 'container', line: 'hello' };
    response.end(`id: 2026-01-01T00:00:00Z\ndata: ${JSON.stringify(change(line))}\n\n`);
    return;
  }
  const least = sample(contract, schema, members) as object;
  const asked = idAsked(operation.path, one.path);
  const value = 'id' in least && asked !== undefined ? { ...least, id: asked } : least;
  response.end(JSON.stringify(change({ ...value, ...answers[`${operation.method} ${operation.path}`], ...kept })));
}

/** Returns the id in a path, such as `p1` of `/v2/pods/p1/action`. The answer must have this id. */
function idAsked(template: string, path: string): string | undefined {
  const place = template.split('/').findLastIndex((segment) => segment.startsWith('{'));
  const segment = place < 0 ? undefined : path.split('/')[place];
  return segment === undefined ? undefined : decodeURIComponent(segment);
}

/** Answers for the queue API, which has no OpenAPI document: every job is completed; `failed` is so after a retry. */
function queueAnswer(
  path: string,
  retried: boolean,
  response: ServerResponse,
  change: (value: unknown) => unknown,
): void {
  const [, , , operation = '', job = 'job1'] = path.split('/');
  const failed = operation === 'status' && path.includes('failed') && !retried;
  const done = { id: job, status: failed ? 'FAILED' : 'COMPLETED', output: {} };
  const health = { jobs: { inQueue: 1 }, workers: {} };
  const others: Readonly<Record<string, unknown>> = {
    health,
    stream: [],
    'purge-queue': { removed: 1, status: 'completed' },
  };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(change(others[operation] ?? done)));
}
