import { describe, expect, test } from 'vitest';
import { queuesOf } from '../../../../src/local/queue/records.ts';
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

  test('an output that JSON cannot hold fails the job with the reason', async () => {
    const outputs = {
      NaN: '({ a: [1, NaN] })',
      'a value of type Set': '({ a: new Set([1]) })',
      'a value of type BigInt': '1n',
      'a value of type Function': '({ a: 1, b() {} })',
      'a value of type Undefined': '[1, , 2]',
      'a value of type Promise': '({ a: Promise.resolve(1) })',
      'a value of type Uint8Array': "({ a: Buffer.from('x') })",
      'a value of type Error': "({ a: new Error('x') })",
      'a value of type Date': "({ a: new Date('x') })",
      'an object that contains itself': '{ const a = {}; a.a = a; return a; }',
    };
    const { service, start, ended } = await serve(
      `const outputs = [${Object.values(outputs)
        .map((output) => `() => ${output}`)
        .join(', ')}];
      export default ({ n }) => outputs[n]();`,
    );
    for (const [n, reason] of Object.keys(outputs).entries()) {
      const input = `{"n":${String(n)}}`;
      const job = await ended(n === 0 ? await start(input) : await service.submit('mine', input));
      expect(job).toMatchObject({ status: 'FAILED', error: `the output is not JSON: it has ${reason}` });
    }
  });

  test('an output above 20 MB fails the job', async () => {
    const { start, ended } = await serve("export default () => 'x'.repeat(25_000_000);");
    expect(await ended(await start('{}'))).toMatchObject({
      status: 'FAILED',
      error: 'the output has 25000002 bytes, and a job may have at most 20 MB',
    });
  });
});
