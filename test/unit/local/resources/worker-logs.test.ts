import { describe, expect, it } from 'vitest';
import { readLog, type LogEvent } from '../../../support/local/log-events.ts';
import { localFixture, type LocalFixture } from '../../../support/local/service-fixture.ts';

const run = async (fixture: LocalFixture, endpoint: string, input: object): Promise<string> =>
  (await fixture.send('POST', `/v2/${endpoint}/run`, { input })).body['id'] as string;

const logOf = async (fixture: LocalFixture, endpoint: string): Promise<string> => {
  const { body } = await fixture.send('GET', `/v2/serverless/${endpoint}/workers`);
  return `/v2/serverless/${endpoint}/workers/${(body['workers'] as { id: string }[])[0]?.id ?? ''}/logs`;
};

const said = (all: readonly LogEvent[]): string[] =>
  all.map(({ id, source, line }) => `${id.slice(14, 23)} ${source}: ${line}`);

describe("a worker's log", () => {
  it('tells its life and what its jobs did, by the clock, to its end and after', async () => {
    const fixture = localFixture();
    const job = await run(fixture, 'stream', { chunks: 2 });
    const path = await logOf(fixture, 'stream');
    const worker = path.split('/')[5] ?? '';
    const all = await readLog(fixture, path, 9);
    expect(said(all)).toEqual([
      `00:00.000 system: worker ${worker} starting on 2 vCPU of cpu-general in EU-NORTH-1`,
      '00:00.000 system: pulling image example/stream:1.0',
      '00:01.000 system: worker started, version 1',
      `00:01.000 system: job ${job} started`,
      `00:01.000 container: ${job}: input of 12 bytes`,
      `00:01.200 container: ${job}: chunk 1 of 2`,
      `00:01.400 container: ${job}: chunk 2 of 2`,
      expect.stringMatching(`00:01.400 container: ${job}: output of \\d+ bytes`) as string,
      `00:01.400 system: job ${job} finished: COMPLETED after 400 ms`,
    ]);
    fixture.clock.advance(60_000);
    const [last] = await readLog(fixture, `${path}?tail=1`, 1);
    expect(last).toMatchObject({ source: 'system', line: 'worker stopping' });
    expect(await readLog(fixture, path, 10)).toEqual([...all, last]);
  });

  it.each([
    ['fail', { error: 'out of memory' }, 0, ['out of memory', 'finished: FAILED after 10 ms']],
    ['sleep', { seconds: 9 }, 3000, ['finished: CANCELLED after 3000 ms']],
  ])('%s: how a job ended', async (endpoint, input, cancelAfter, lines) => {
    const fixture = localFixture();
    const job = await run(fixture, endpoint, input);
    const path = await logOf(fixture, endpoint);
    fixture.clock.advance(1000 + cancelAfter);
    if (cancelAfter > 0) await fixture.send('POST', `/v2/${endpoint}/cancel/${job}`);
    const all = await readLog(fixture, path, 5 + lines.length);
    for (const line of lines) expect(said(all).some((text) => text.includes(line))).toBe(true);
  });
});
