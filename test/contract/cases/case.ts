import type { Answer, LocalFixture } from '../../support/local/service-fixture.ts';

/** One request and what it must be answered with. `id` is the operation's in the published document. */
export interface Case {
  readonly id: string;
  /** Done first, with `beforeBody`, or else the body of a job. */
  readonly before?: string;
  readonly beforeBody?: unknown;
  readonly request: string;
  readonly body?: unknown;
  readonly status: number;
}

/** What cases of several resources run on. */
export const gpu = { id: 'GPU-24G' };
export const image = 'example/image:1';

type Send = LocalFixture['send'];

/** Does what a case wants done before it. */
export async function prepare(send: Send, { before, beforeBody = { input: {} } }: Case): Promise<void> {
  if (before !== undefined) await sendTo(send, before, beforeBody);
}

/** Makes the request of a case; a key of null sends none. */
export const ask = (send: Send, { request, body }: Case, key?: string | null): Promise<Answer> =>
  sendTo(send, request, body, key);

function sendTo(send: Send, request: string, body: unknown, key?: string | null): Promise<Answer> {
  const [method = '', path = ''] = request.split(' ');
  return send(method, path, body, key);
}
