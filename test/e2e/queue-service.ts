import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A queue service that counts the submissions of each item, and stops answering them after some if it is told so. */
export async function startService() {
  const counts = new Map<number, number>();
  const held: (() => void)[] = [];
  const state = { answersUntil: Number.POSITIVE_INFINITY };
  let onHeld = (): void => undefined;
  const json = (response: ServerResponse, value: unknown): void => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(value));
  };
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const [, , , operation, job = ''] = (request.url ?? '').split('/');
      if (operation === 'health') json(response, { jobs: {}, workers: {} });
      else if (operation === 'status')
        json(response, { id: job, status: 'COMPLETED', output: { n: Number(job.slice(4)) } });
      else if (operation !== 'run') response.writeHead(404).end();
      else {
        const { n } = (JSON.parse(body) as { input: { n: number } }).input;
        counts.set(n, (counts.get(n) ?? 0) + 1);
        const answer = (): void => {
          json(response, { id: `job-${String(n)}`, status: 'IN_QUEUE' });
        };
        if (counts.size <= state.answersUntil) answer();
        else {
          held.push(answer);
          onHeld();
        }
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    counts,
    /** Answers this number of items. Resolves when a submission waits for an answer, which it never gets. */
    holdAfter: (items: number) =>
      new Promise<void>((resolve) => {
        state.answersUntil = items;
        onHeld = resolve;
      }),
    answerAll: () => {
      state.answersUntil = Number.POSITIVE_INFINITY;
    },
  };
}
