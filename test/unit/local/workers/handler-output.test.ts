import { describe, expect, test } from 'vitest';
import { queuesOf } from '../../../../src/local/queue/state/records.ts';
import { serve } from '../../../support/local/worker-fixture.ts';

describe('handler modules', () => {
  test('what a handler prints goes to the log, not to stdout', async () => {
    const lines: string[] = [];
    const source = 'export default () => { console.log("hello"); console.error("oh"); return 1; };';
    const { start, ended, until } = await serve(source, {
      log: (endpointId, line) => lines.push(`${endpointId}: ${line}`),
    });
    await ended(await start('{}'));
    await until(
      () => lines,
      (all) => all.length >= 2,
    );
    expect(lines.sort()).toEqual(['mine: hello', 'mine: oh']);
  });

  test("what a handler prints is in its worker's record, line by line, the last of them", async () => {
    const { service, start, ended, until } = await serve(`export default ({ lines }) => {
      process.stdout.write('in two ');
      process.stdout.write('pieces\\n');
      console.log('x'.repeat(3000));
      for (let line = 0; line < lines; line++) console.log('line ' + line);
    };`);
    const printed = (): readonly { readonly at: number; readonly line: string }[] =>
      Object.values(queuesOf(service.state).byEndpoint.mine?.workers ?? {}).flatMap((worker) => worker.printed ?? []);
    await ended(await start('{"lines":1}'));
    const first = await until(printed, (all) => all.length === 3);
    expect(first.map(({ line }) => line)).toEqual(['in two pieces', 'x'.repeat(2000), 'line 0']);
    expect(new Set(first.map(({ at }) => at))).toEqual(new Set([service.clock.now()]));
    await ended(await service.submit('mine', '{"lines":300}'));
    const last = await until(printed, (all) => all.at(-1)?.line === 'line 299');
    expect([last.length, last[0]?.line]).toEqual([200, 'line 100']);
  });

  test.each([
    ['200,000 lines at once', "process.stdout.write('x\\n'.repeat(200_000))", 'x'],
    ['40 MB without a line end', "for (let n = 0; n < 4000; n++) process.stdout.write('x'.repeat(10_000))", undefined],
  ])('a handler that prints %s neither ends nor blocks the service', async (_, print, expected) => {
    const { service, start, ended, until } = await serve(`export default () => { ${print}; return 1; };`);
    expect(await ended(await start('{}'))).toMatchObject({ status: 'COMPLETED', output: 1 });
    expect(await ended(await service.submit('mine', '{}'))).toMatchObject({ status: 'COMPLETED', output: 1 });
    if (expected === undefined) return;
    const printed = (): readonly string[] =>
      Object.values(queuesOf(service.state).byEndpoint.mine?.workers ?? {}).flatMap(({ printed: lines = [] }) =>
        lines.map(({ line }) => line),
      );
    expect((await until(printed, (lines) => lines.length > 0))[0]).toBe(expected);
  });

  test.each([
    ['NaN', '({ a: [1, NaN] })', 'the output is not JSON: it has NaN'],
    ['-Infinity', '-Infinity', 'the output is not JSON: it has -Infinity'],
    ['a set', '({ a: new Set([1]) })', 'the output is not JSON: it has a Set'],
    ['a map', 'new Map()', 'the output is not JSON: it has a Map'],
    ['a bigint', '1n', /^the output is not JSON: TypeError: /],
    ['25 MB', "'x'.repeat(25_000_000)", 'the output has 25000002 bytes, and a job may have at most 20 MB'],
  ])('an output with %s fails the job with the reason', async (_, output, error) => {
    const { start, ended } = await serve(`export default () => ${output};`);
    const job = await ended(await start('{}'));
    expect(job).toMatchObject({ status: 'FAILED' });
    expect(job['error']).toMatch(error);
  });

  test('null and an empty object are output', async () => {
    const { start, ended } = await serve('export default () => ({ a: null, b: {}, c: undefined });');
    expect(await ended(await start('{}'))).toMatchObject({ status: 'COMPLETED', output: { a: null, b: {} } });
  });
});
