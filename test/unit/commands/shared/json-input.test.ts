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

const wrongAt = (from: string, place: string) => expect.stringContaining(`${from} is not JSON: ${place}: `) as string;

test.each(COMMANDS)('%s: the hint for a file that is not JSON is about the file', async (...command) => {
  const file = path.join(temporaryDirectory(), 'bad.json');
  for (const [text, place] of [
    ['{"a": 1,\n "b": }', 'line 2, column 7'],
    ['\n\n  {"a": }', 'line 3, column 9'],
  ] as const) {
    writeFileSync(file, text);
    const error = { code: 2, message: wrongAt(file, place), hint: `Correct the file ${file}, at ${place}.` };
    expect(await errorOf(command, `@${file}`)).toEqual(error);
  }
});

test.each(COMMANDS)('%s: the hint for JSON on the command line is about the shell', async (...command) => {
  expect(await errorOf(command, '{a:1}')).toEqual({
    code: 2,
    message: wrongAt('--input', 'line 1, column 2'),
    hint: 'Quote JSON for the shell: --input \'{"prompt":"hello"}\'',
  });
});

test.each(COMMANDS)('%s: the hint for stdin that is not JSON is about stdin', async (...command) => {
  expect(await errorOf(command, '-', '{"a": }')).toEqual({
    code: 2,
    message: wrongAt('stdin', 'line 1, column 7'),
    hint: 'Correct what stdin has, at line 1, column 7.',
  });
});

test('jobs run --input @FILE: the hint is about the file', async () => {
  const file = path.join(temporaryDirectory(), 'bad.json');
  writeFileSync(file, '{"a": }');
  expect(await errorOf(['jobs', 'run', 'demo', '--input'], `@${file}`)).toMatchObject({
    hint: `Correct the file ${file}, at line 1, column 7.`,
  });
});
