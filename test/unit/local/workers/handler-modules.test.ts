import { rm, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { COLD_START_MS } from '../../../../src/local/queue/workers.ts';
import { serve } from '../../../support/local/worker-fixture.ts';

describe('handler modules', () => {
  test.each([
    ['a default export', 'export default (input) => ({ twice: input.n * 2 });', 'handler.mjs'],
    ['a named handler', 'export async function handler(input) { return { twice: input.n * 2 }; }', 'handler.mjs'],
    ['a CommonJS module with a member', 'exports.handler = (input) => ({ twice: input.n * 2 });', 'handler.cjs'],
    ['a name with a space and a hash', 'export default (input) => ({ twice: input.n * 2 });', 'my #1 handler.mjs'],
  ])('a function: %s', async (_what, source, name) => {
    const { start, ended } = await serve(source, {}, name);
    const id = await start('{"n":21}');
    expect(await ended(id)).toMatchObject({ status: 'COMPLETED', output: { twice: 42 } });
  });

  test.each([
    ['async', 'export default async function* (input) { for (let n = 0; n < input.n; n++) yield { n }; }'],
    ['plain', 'export default function* (input) { for (let n = 0; n < input.n; n++) yield { n }; }'],
  ])('an %s generator streams, and its output is all it gave', async (_kind, source) => {
    const { service, start, ended } = await serve(source);
    const id = await start('{"n":5}');
    expect(await ended(id)).toMatchObject({ output: [{ n: 0 }, { n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }] });
    const { text } = await service.call(`GET /mine/stream/${id}`);
    const all = [0, 1, 2, 3, 4].map((n) => ({ output: { n }, metrics: { stream_index: n } }));
    expect(JSON.parse(text)).toEqual(all);
    expect((await service.call(`GET /mine/stream/${id}`)).text).toBe('[]');
  });

  test.each([
    ['throws', 'export default () => { throw new Error("out of luck"); };', 'out of luck'],
    ['throws a TypeError', 'export default (input) => input.a.b;', /^TypeError: .*undefined/],
    ['yields and throws', 'export default async function* () { yield 1; throw new Error("midway"); }', 'midway'],
    ['ends its thread', 'export default () => process.exit(3);', /exit code 3/],
    [
      'breaks down beside',
      'export default () => new Promise(() => setTimeout(() => { throw new Error("aside"); }));',
      /aside/,
    ],
    ['does not parse', 'export default (', /cannot load the handler module .*handler\.mjs: SyntaxError/],
    ['exports nothing to call', 'export const other = 1;', /exports no function/],
  ])('a handler that %s: FAILED with the reason', async (_what, source, error) => {
    const { start, ended } = await serve(source);
    const job = await ended(await start('{}'));
    expect(job).toMatchObject({ status: 'FAILED' });
    expect(job.error).toMatch(error);
    expect(job.error).not.toMatch(/\n\s+at /);
  });

  test('a module that is not there: FAILED, and well again once it is', async () => {
    const { service, path, start, ended, tick } = await serve('');
    await rm(path);
    const id = await start('{}');
    expect((await ended(id)).error).toMatch(/cannot load the handler module/);
    await writeFile(path, 'export default () => "here";');
    service.pass(10_000);
    await tick();
    await service.call(`POST /mine/retry/${id}`);
    service.pass(COLD_START_MS);
    expect(await ended(id)).toMatchObject({ status: 'COMPLETED', output: 'here' });
  });

  test('an endpoint whose module nobody serves: FAILED, naming the flag', async () => {
    const { start, ended } = await serve('export default () => 1;', { sources: {} });
    expect((await ended(await start('{}'))).error).toContain('--endpoint mine=');
  });
});
