import { describe, expect, it } from 'vitest';
import type { ApiRequest, ServerEvent } from '../../../../src/core/api.ts';
import { createDeadlineClock, untilRead } from '../../../support/clocks/deadline-clock.ts';
import { connect, failureOf, read, serve, type World } from '../../../support/servers/http-server.ts';

const logs: ApiRequest = { ...read, path: ['v2', 'pods', 'p1', 'logs'] };
const EVENTS = { 'content-type': 'text/event-stream' };

async function collect({ api }: World, request = logs, into: ServerEvent[] = []): Promise<ServerEvent[]> {
  for await (const event of api.events(request)) into.push(event);
  return into;
}

describe('a stream of events', () => {
  it('is read event by event, however the bytes are split', async () => {
    const text =
      ': hello\n\nid: 1\ndata: {"line":"é€😀"}\n\nid: 2\nevent: log\ndata: a\ndata: b\n\nretry: 5\n\ndata: cut off';
    const server = await serve((response) => {
      response.writeHead(200, EVENTS);
      for (const byte of Buffer.from(text)) response.write(Buffer.of(byte));
      response.end();
    });
    expect(await collect(connect(server.url))).toEqual([
      { id: '1', event: undefined, data: '{"line":"é€😀"}' },
      { id: '2', event: 'log', data: 'a\nb' },
    ]);
    expect(server.seen[0]?.headers).toMatchObject({ accept: 'text/event-stream', 'accept-encoding': 'identity' });
  });

  it('fails with 7 when the connection breaks, after the events that arrived', async () => {
    const server = await serve((response) => {
      response.writeHead(200, EVENTS).write('data: 1\n\ndata: 2', () => response.destroy());
    });
    const got: ServerEvent[] = [];
    expect(await failureOf(collect(connect(server.url), logs, got))).toMatchObject({ exit: 7, code: 'stream-broken' });
    expect(got).toHaveLength(1);
  });

  it('ends at its idle timeout and closes the connection', async () => {
    const clock = createDeadlineClock();
    let hungUp: () => void = () => undefined;
    const closed = new Promise<void>((resolve) => (hungUp = resolve));
    const server = await serve((response) => {
      response.on('close', hungUp);
      response.writeHead(200, EVENTS).write('data: 1\n\n');
      void untilRead().then(() => {
        response.write('data: 2\n\n: alive\n\n: alive\n\n');
        return clock.expireWhenQuiet();
      });
    });
    expect(await collect(connect(server.url, { clock }), { ...logs, idleTimeoutMs: 60 })).toMatchObject([
      { data: '1' },
      { data: '2' },
    ]);
    await closed;
  });

  it('with one endless event ends 7 with bounded memory', async () => {
    const server = await serve((response) => {
      response.writeHead(200, EVENTS).write('data: ');
      const chunk = Buffer.alloc(1 << 20, 'x');
      const more = (): void => {
        while (!response.destroyed && response.write(chunk));
        response.once('drain', more);
      };
      more();
    });
    expect(await failureOf(collect(connect(server.url)))).toMatchObject({ exit: 7 });
  });
});
