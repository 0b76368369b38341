import type { Answer, LocalFixture } from '../../support/local/service-fixture.ts';

/** One request and the expected answer. `id` is the id of the operation in the published document. */
export interface Case {
  readonly id: string;
  /** A request that is sent first, with `beforeBody`, or else with the body of a job. */
  readonly before?: string;
  readonly beforeBody?: unknown;
  readonly request: string;
  readonly body?: unknown;
  readonly status: number;
}

/** The local service that cases of several resources use. */
export const gpu = { id: 'GPU-24G' };
export const image = 'example/image:1';

type Send = LocalFixture['send'];

/** Sends the request that a case needs before it. */
export async function prepare(send: Send, { before, beforeBody = { input: {} } }: Case): Promise<void> {
  if (before !== undefined) await sendTo(send, before, beforeBody);
}

/** Sends the request of a case. With a key of null no key is sent. */
export const ask = (send: Send, { request, body }: Case, key?: string | null): Promise<Answer> =>
  sendTo(send, request, body, key);

function sendTo(send: Send, request: string, body: unknown, key?: string | null): Promise<Answer> {
  const [method = '', path = ''] = request.split(' ');
  return send(method, path, body, key);
}
