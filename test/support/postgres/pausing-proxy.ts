import { connect, createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

/** The message that begins a transaction: a simple query. */
const BEGIN = /^Q....BEGIN/s;

/**
 * Starts a proxy before a database, and returns its port. `before` is awaited before each transaction of a client begins, with
 * its number from 1: what it does happens between two transactions of that client. Ends with the test.
 */
export async function startPausingProxy(
  port: number,
  before: (transaction: number) => Promise<void> | void,
): Promise<number> {
  let transactions = 0;
  const server = createServer((client) => {
    const database = connect(port, '127.0.0.1');
    let passed = Promise.resolve();
    client.on('data', (bytes) => {
      passed = passed.then(async () => {
        if (BEGIN.test(bytes.toString('latin1', 0, 10))) await before((transactions += 1));
        database.write(bytes);
      });
    });
    database.on('data', (bytes) => client.write(bytes));
    for (const [one, other] of [
      [client, database],
      [database, client],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
