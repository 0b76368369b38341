import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { objectionsTo, readSchema, SCHEMA_FOLDER } from '../support/schemas/published-schemas.ts';
import { berth, cleanEnvironment } from './support.ts';

test('the installed program prints the schemas of docs/schemas', async () => {
  const { stdout } = await berth(['schema', '--json']);
  for (const { command, schema } of JSON.parse(stdout) as readonly { command: string; schema: object }[])
    expect([command, schema]).toEqual([command, readSchema(command)]);
  const one = await berth(['schema', 'jobs', 'batch', 'report']);
  expect(one.stdout).toBe(readFileSync(`${SCHEMA_FOLDER}jobs-batch-report.json`, 'utf8'));
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
