import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { berth } from '../../../support/worlds/run-berth.ts';

const COMMANDS = [
  ['jobs', 'run', 'demo', '--input'],
  ['api', 'POST', '/v2/pods', '--input'],
];

/** How a command ends with a value of its last flag. */
async function errorOf(command: readonly string[], value: string, stdin?: string): Promise<unknown> {
  const world = stdin === undefined ? {} : { stdin };
  const ran = await berth(['--local', ...command, value, '--json'], world);
  const { error } = JSON.parse(ran.err) as { readonly error: { readonly message: string; readonly hint: string } };
  return { code: ran.code, message: error.message, hint: error.hint };
}

const file = (text: string): string => {
  const name = path.join(temporaryDirectory(), 'bad.json');
  writeFileSync(name, text);
  return `@${name}`;
};

test.each(COMMANDS)('%s: what is not JSON is named with its place', async (...command) => {
  const at = (place: string) => ({ code: 2, message: expect.stringContaining(`is not JSON: ${place}: `) as string });
  expect(await errorOf(command, file('{"a": 1,\n "b": }'))).toMatchObject(at('line 2, column 7'));
  expect(await errorOf(command, file('\n\n  {"a": }'))).toMatchObject(at('line 3, column 9'));
  expect(await errorOf(command, '-', '{"a": }')).toMatchObject(at('line 1, column 7'));
  expect(await errorOf(command, '{a:1}')).toMatchObject({
    ...at('line 1, column 2'),
    hint: expect.stringContaining('Quote JSON for the shell') as string,
  });
});
