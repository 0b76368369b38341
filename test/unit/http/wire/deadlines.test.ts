import { describe, expect, it } from 'vitest';
import { createDeadlineClock } from '../../../support/clocks/deadline-clock.ts';
import { connect, failureOf, serve, write } from '../../../support/servers/http-server.ts';

describe('the deadline', () => {
  it('keeps the status of an error whose body arrives too slowly', async () => {
    const clock = createDeadlineClock();
    const server = await serve((response) => {
      response.writeHead(409).write('{');
      void clock.expireWhenQuiet();
    });
    const { api } = connect(server.url, { clock });
    expect(await failureOf(api.send(write))).toMatchObject({ exit: 5, status: 409 });
  });
});
