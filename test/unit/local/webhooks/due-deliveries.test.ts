import { describe, expect, test } from 'vitest';
import { COLD_START_MS } from '../../../../src/local/queue/workers.ts';
import { queuesOf } from '../../../../src/local/queue/records.ts';
import type { Harness } from '../../../support/local/queue-fixture.ts';
import { serve } from '../../../support/local/worker-fixture.ts';

describe('webhooks (contract rules, Queue API)', () => {
  /** A service whose webhooks are answered so, and 200 from then on. */
  const hooked = async (
    statuses: readonly (number | Error)[] = [],
  ): Promise<{ readonly service: Harness; readonly sent: readonly string[]; readonly look: () => Promise<void> }> => {
    const sent: string[] = [];
    const { service, tick } = await serve('', {
      sendWebhook: (url, body) => {
        const status = statuses[sent.push(`${url} ${body}`) - 1] ?? 200;
        return status instanceof Error ? Promise.reject(status) : Promise.resolve(status);
      },
    });
    const look = async (): Promise<void> => {
      await tick();
      // Once more behind the try's own step.
      await tick();
      await tick();
    };
    return { service, sent, look };
  };

  test('the status document is posted once the job has ended', async () => {
    const { service, sent, look } = await hooked();
    const id = await service.submit('demo', '{"n":9007199254740993}', ',"webhook":"http://127.0.0.1:9/hook?x=1"');
    await look();
    expect(sent).toEqual([]);
    service.pass(COLD_START_MS + 1000);
    await look();
    const document = (await service.call(`GET /demo/status/${id}`)).text;
    expect(document).toContain('"output":{"n":9007199254740993}');
    expect(sent).toEqual([`http://127.0.0.1:9/hook?x=1 ${document}`]);
    service.pass(60_000);
    await look();
    expect(sent).toHaveLength(1);
  });

  test.each([
    ['until it answers 200', [500, 200], 2],
    ['where the connection fails', [new Error('refused'), 200], 2],
    ['where it answers anything else, 204 too', [204, 302, 200], 3],
    ['no more than three times', [500, 500, 500, 200], 3],
  ])('tries again 10 s later: %s', async (_what, statuses, tries) => {
    const { service, sent, look } = await hooked(statuses);
    await service.submit('echo', '{}', ',"webhook":"http://127.0.0.1:9/"');
    service.pass(COLD_START_MS + 10);
    for (let time = 0; time < 6; time++) {
      await look();
      expect(sent).toHaveLength(Math.min(time + 1, tries));
      service.pass(9999);
      await look();
      expect(sent).toHaveLength(Math.min(time + 1, tries));
      service.pass(1);
    }
    expect(queuesOf(service.state).deliveries).toEqual([]);
  });
});
