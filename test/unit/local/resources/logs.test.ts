import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LOCAL_KEY } from '../../../../src/local/http/admission.ts';
import { fetchFrom } from '../../../support/local/fetch-from.ts';
import { localFixture, POD_BODY } from '../../../support/local/service-fixture.ts';
import { readLog, type LogEvent } from '../../../support/local/log-events.ts';
import { fileStore } from '../../../support/local/file-store.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';

const NOW = Date.UTC(2026, 0, 1);

const LOG = '/v2/pods/pod-web/logs';

describe('the log of a pod', () => {
  it('has container and system lines for each event of the pod', async () => {
    const local = localFixture();
    const { body } = await local.send('POST', '/v2/pods', { ...POD_BODY, image: 'some/image:1' });
    const events = await readLog(local, `/v2/pods/${String(body['id'])}/logs`, 8);
    expect(events.map(({ ts, source, line }) => `${ts.slice(17, 23)} ${source} ${line}`)).toEqual([
      '00.000 system looking for a machine with 1 x GPU-24G',
      '00.800 system found one in EU-NORTH-1',
      '01.500 system pulling image some/image:1',
      '02.500 system creating the container from some/image:1',
      '05.000 system container started',
      '05.000 container ready',
      '15.000 container step 1 loss=4.4000 lr=3.0e-04',
      '25.000 container step 2 loss=3.2284 lr=3.0e-04',
    ]);
    expect(events.map(({ id }) => id)).toEqual(events.map(({ ts }) => ts));
  });

  it.each([
    ['?tail=0', ['00:00:05']],
    ['?tail=1', ['23:59:55', '00:00:05']],
    ['?tail=3&source=container', ['23:59:35', '23:59:45', '23:59:55', '00:00:05']],
    ['?since=2025-12-31T23:59:35Z&tail=1', ['23:59:35', '23:59:45']],
    ['?since=2026-01-01T00:59:35.0000001%2B01:00', ['23:59:45', '23:59:55']],
    ['?since=2026-01-01t00:00:20z', ['00:00:25']],
  ])('from where it is asked for: %s', async (query, times) => {
    const events = await readLog(localFixture(), `${LOG}${query}`, times.length);
    expect(events.map(({ ts }) => ts.slice(11, 19))).toEqual(times);
  });

  it('of one source is that alone', async () => {
    const events = await readLog(localFixture(), '/v2/pods/pod-train/logs?tail=6&source=system', 6);
    expect(new Set(events.map(({ source }) => source))).toEqual(new Set(['system']));
  });

  it('ends nowhere: the same events come, each once, however often it is broken off and by whatever process', async () => {
    const path = join(temporaryDirectory(), 'state.json');
    const readBy = async (query: string, count: number, lastEventId?: string) => {
      const process = localFixture({ store: fileStore(path) });
      const events = await readLog(process, `${LOG}?${query}since=2025-12-31T23:50:00Z`, count, lastEventId);
      await process.service.stop();
      return events;
    };
    const whole = await readBy('', 60);
    const pieces: LogEvent[] = [];
    for (const count of [1, 7, 20, 2, 30]) pieces.push(...(await readBy('tail=0&', count, pieces.at(-1)?.id)));
    expect(pieces).toEqual(whole);
    expect(new Set(whole.map(({ id }) => id)).size).toBe(60);
  });

  it('sends the last 100 lines where nothing is asked, and 5000 at most', async () => {
    const local = localFixture();
    const events = await readLog(local, LOG, 101);
    // 100 of the past, then the first new one.
    expect(Date.parse(events[99]?.ts ?? '')).toBeLessThan(NOW);
    expect(Date.parse(events[100]?.ts ?? '')).toBeGreaterThanOrEqual(NOW);
    expect(Date.parse((await readLog(localFixture(), `${LOG}?tail=5000`, 5000))[4999]?.ts ?? '')).toBeLessThan(NOW);
  });

  it.each(['', 'x', '2026-01-01', '7'])('goes on from no event %j', async (id) => {
    const { service } = localFixture();
    const headers = { Authorization: `Bearer ${LOCAL_KEY}`, 'Last-Event-ID': id };
    const response = await fetchFrom(service, new Request(`http://localhost${LOG}`, { headers }));
    expect(response.status).toBe(422);
  });
});
