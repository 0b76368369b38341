// A process that sends one GET. tls.test.ts bundles it and runs it.
import { createApi } from '../../../../src/http/api.ts';
import { createTransport } from '../../../../src/http/wire/client.ts';
import { createTestClock } from '../../../support/clocks/test-clock.ts';

const [address = ''] = process.argv.slice(2);
const api = createApi({
  transport: createTransport({ env: process.env }),
  addresses: () => address,
  key: () => Promise.resolve('probe-key'),
  clock: createTestClock(),
  random: () => 0.5,
  signal: new AbortController().signal,
  retries: 1,
  timeoutMs: 10_000,
  userAgent: 'berth/probe',
  maxBytes: 64 * 1024 * 1024,
});
api.send({ service: 'base', method: 'GET', path: ['v2', 'pods'] }).then(
  (answer) => {
    process.stdout.write(answer.text);
  },
  (error: unknown) => {
    process.stdout.write(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  },
);
