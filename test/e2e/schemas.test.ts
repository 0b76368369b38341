import { expect, test } from 'vitest';
import { objectionsTo, SCHEMAS } from '../support/schemas/printed-schemas.ts';
import { berth, cleanEnvironment } from './support.ts';

test('the installed program prints the schemas of the sources', async () => {
  const { stdout } = await berth(['schema', '--json']);
  const printed = JSON.parse(stdout) as readonly { command: string; schema: object }[];
  expect(new Map(printed.map(({ command, schema }) => [command, schema]))).toEqual(SCHEMAS);
});

test('what the installed program prints matches its schemas', async () => {
  const env = await cleanEnvironment();
  const run = async (...words: readonly string[]) =>
    JSON.parse((await berth(['--local', '--json', ...words], { env })).stdout) as unknown;
  for (const words of [
    ['pods', 'list'],
    ['endpoints', 'get', 'echo'],
    ['jobs', 'run', 'echo', '--input', '{"n":1}', '--wait'],
    ['catalog', 'gpus'],
    ['billing', 'report'],
    ['doctor'],
    ['limits'],
    ['config', 'list'],
  ]) {
    const document = await run(...words);
    const command = words.slice(0, ['doctor', 'limits'].includes(words[0] ?? '') ? 1 : 2).join(' ');
    expect(objectionsTo(command, document)).toBeUndefined();
  }
  const { code, stderr } = await berth(['--local', '--json', 'pods', 'get', 'nobody'], { env });
  expect(code).toBe(4);
  expect(objectionsTo('error', JSON.parse(stderr))).toBeUndefined();
});
