import { serve, type Behaviour } from './scripted-server.ts';

/** The headers of an event stream. */
export const EVENTS = { 'content-type': 'text/event-stream' };

/** A line of a log as an event. A client cannot continue after an event without an id. */
interface Line {
  readonly id: string | undefined;
  readonly data: string;
}

const line = (number: number): Line => ({
  id: `c${String(number)}`,
  data: JSON.stringify({
    ts: `2026-01-01T00:00:00.${String(number).padStart(3, '0')}Z`,
    source: 'container',
    line: `line ${String(number)}`,
  }),
});

/** Makes `count` lines: `line 1`, `line 2`, ... with the ids `c1`, `c2`, ... */
export const lines = (count: number): readonly Line[] => Array.from({ length: count }, (_, at) => line(at + 1));

/** Encodes lines as events. */
export const written = (all: readonly Line[]): string =>
  all.map(({ id, data }) => `${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`).join('');

/** The script of one connection: how many lines it sends, and how it ends. */
export interface Connection {
  readonly sends: number;
  readonly ends: 'reset' | 'end' | 'cut' | 'hold' | 'unavailable';
}

interface LogServer {
  readonly url: string;
  readonly seen: readonly { readonly url: string; readonly after: string | undefined }[];
}

/**
 * Starts a service with one pod that logs. Each connection follows the script. The connection after the script sends all
 * remaining lines, and then the pod is EXITED. A connection starts after the event of its Last-Event-ID.
 */
export async function logServer(log: readonly Line[], script: readonly Connection[]): Promise<LogServer> {
  const seen: { url: string; after: string | undefined }[] = [];
  let over = false;
  let opened = 0;
  const answer: Behaviour = ({ arrival: { url, headers }, response, socket }) => {
    if (!url.includes('/logs')) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ id: 'p1', status: over ? 'EXITED' : 'RUNNING' }));
      return;
    }
    const after = headers['last-event-id'] as string | undefined;
    seen.push({ url, after });
    const { sends, ends } = script[opened++] ?? { sends: log.length, ends: 'end' };
    if (ends === 'unavailable') {
      response.writeHead(503).end();
      return;
    }
    const at = after === undefined ? 0 : log.findIndex(({ id }) => id === after) + 1;
    const to = Math.min(log.length, at + sends);
    over ||= opened > script.length && to === log.length;
    response.writeHead(200, EVENTS);
    const body = written(log.slice(at, to));
    switch (ends) {
      case 'end':
        response.end(body);
        return;
      case 'hold':
        response.write(body === '' ? ': hello\n\n' : body);
        return;
      case 'cut':
        response.write(`${body}id: cut\ndata: {"line":"never whole"`, () => response.destroy());
        return;
      case 'reset':
        response.write(body === '' ? ': hello\n\n' : body, () => socket.resetAndDestroy());
    }
  };
  return { url: (await serve([answer])).url, seen };
}

/** The printed lines, in the form of `expected`. */
export const numbers = (out: string): readonly string[] => out.match(/line \d+/g) ?? [];

/** The output of `lines(count)`, each line once. */
export const expected = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `line ${String(at + 1)}`);

/** Waits until the condition holds. */
export const until = async (reached: () => boolean): Promise<void> => {
  while (!reached()) await new Promise(setImmediate);
};
