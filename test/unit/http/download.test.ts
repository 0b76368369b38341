import { expect, onTestFinished, test } from 'vitest';
import { createDownloads } from '../../../src/http/download.ts';
import { traceLine } from '../../../src/http/trace.ts';
import { createTransport } from '../../../src/http/wire/client.ts';
import { createTestClock } from '../../support/clocks/test-clock.ts';
import { serve, text } from '../../support/servers/scripted-server.ts';

test('a trace and an error of a download have its address without the query, which is often a signature', async () => {
  const server = await serve([text('content'), text('', 403)]);
  const traced: string[] = [];
  const downloads = createDownloads({
    transport: createTransport({ env: {} }),
    clock: createTestClock(),
    random: () => 0.5,
    signal: new AbortController().signal,
    retries: 0,
    timeoutMs: 10_000,
    userAgent: 'test',
    trace: (event) => traced.push(traceLine(event)),
  });
  onTestFinished(() => downloads.close());
  const url = `${server.url}/a?sig=hush`;
  (await downloads.get(url, {})).close();
  const refused: unknown = await downloads.get(url, {}).catch((error: unknown) => error);
  expect(server.seen[0]?.url).toBe('/a?sig=hush');
  expect(traced.join('\n')).toContain(`GET ${server.url}/a `);
  expect(refused).toMatchObject({ exit: 3, request: { url: `${server.url}/a` } });
  expect(JSON.stringify([traced, refused])).not.toContain('hush');
});
