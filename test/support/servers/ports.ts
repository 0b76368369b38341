import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * A port on loopback that nothing uses, for a server of another program. It is below those that systems choose by themselves: of
 * these, another process could be given it in between.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => {
        resolve(false);
      });
      server.listen(port, '127.0.0.1', () => {
        resolve(true);
      });
    });
    await new Promise((resolve) => server.close(resolve));
    if (isFree) return port;
  }
}

/** A port on loopback that refuses connections until the test ends: it is that of a client, so no server can take it. */
export async function refusingPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  await once(client, 'connect');
  if (client.localPort === undefined) throw new Error('a connected client has no port');
  return client.localPort;
}
