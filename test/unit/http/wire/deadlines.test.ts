import { describe, expect, it } from 'vitest';
import { createDeadlineClock, untilRead } from '../../../support/clocks/deadline-clock.ts';
import { connect, failureOf, json, read, serve, write } from '../../../support/servers/http-server.ts';

describe('the deadline', () => {
  it('covers headers that never arrive: a read ends 7, a write 8, without a retry', async () => {
    const clock = createDeadlineClock();
    const server = await serve(clock.expire);
    const { api } = connect(server.url, { clock, timeoutMs: 40 });
    const failure = await failureOf(api.send(read));
    expect(failure).toMatchObject({ exit: 7 });
    expect(failure.message).toContain('within 40ms');
    expect(await failureOf(api.send(write))).toMatchObject({ exit: 8, id: 'p1' });
    expect(server.seen).toHaveLength(2);
  });

  it('covers a body that arrives byte by byte', async () => {
    const clock = createDeadlineClock();
    const server = await serve((response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write(' ');
      void untilRead().then(() => {
        response.write(' ');
        return clock.expireWhenQuiet();
      });
    });
    const { api } = connect(server.url, { clock });
    expect(await failureOf(api.send({ ...read, id: 'job-1' }))).toMatchObject({ exit: 7, id: 'job-1' });
    expect(server.seen).toHaveLength(1);
  });

  it('keeps the status of an error whose body arrives too slowly', async () => {
    const clock = createDeadlineClock();
    const server = await serve((response) => {
      response.writeHead(409).write('{');
      void clock.expireWhenQuiet();
    });
    const { api } = connect(server.url, { clock });
    expect(await failureOf(api.send(write))).toMatchObject({ exit: 5, status: 409 });
  });

  it('is longer if the request asks for it', async () => {
    const server = await serve((response) => {
      setTimeout(() => {
        json(response, {});
      }, 60);
    });
    const { api } = connect(server.url, { timeoutMs: 10 });
    expect((await api.send({ ...write, deadlineMs: 600_000 })).status).toBe(200);
  });
});
