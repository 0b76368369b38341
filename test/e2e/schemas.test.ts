import { expect, test } from 'vitest';
import { SCHEMAS } from '../support/schemas/printed-schemas.ts';
import { berth } from './support.ts';

test('the installed program prints the schemas of the sources', async () => {
  const { stdout } = await berth(['schema', '--json']);
  const printed = JSON.parse(stdout) as readonly { command: string; schema: object }[];
  expect(new Map(printed.map(({ command, schema }) => [command, schema]))).toEqual(SCHEMAS);
});
