import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { berth, cleanEnvironment, nodePath, packageTest, runProgram, temporaryFolder } from './support.ts';

/** Every flag that the reference names. */
const FLAGS = new Set(
  readdirSync('docs/reference').flatMap((name) =>
    (readFileSync(path.join('docs/reference', name), 'utf8').match(/^\| `(?:-\w, )?--[\w-]+/gm) ?? []).map((each) =>
      each.replace(/^.*[ `]/, ''),
    ),
  ),
);

// Node looks for some of its options in all words of a command line, also in those of the program.
packageTest('Node takes no flag of berth for an option of its own', async () => {
  expect(FLAGS.size).toBeGreaterThan(200);
  const script = path.join(await temporaryFolder(), 'print.cjs');
  writeFileSync(script, 'console.log(process.argv.slice(2).join())');
  const words = [...FLAGS].flatMap((flag) => [flag, 'nothing', `${flag}=nothing`]);
  expect(await runProgram(nodePath(), [script, ...words], { env: await cleanEnvironment() })).toEqual({
    code: 0,
    stdout: `${words.join()}\n`,
    stderr: '',
  });
});

const CREATE = '--local pods create --name a --image image:1 --cpu cpu-general --vcpu 2 --dry-run --jq .body.env';

test('variables arrive from a pipe, and NODE_OPTIONS of a container does nothing to berth', async () => {
  const ran = await berth([...CREATE.split(' '), '--env-from', '-'], {
    input: 'NODE_OPTIONS=--require=/nowhere.js\nA=1\n',
  });
  expect({ ...ran, stdout: JSON.parse(ran.stdout || '0') as unknown }).toMatchObject({
    code: 0,
    stdout: { NODE_OPTIONS: '--require=/nowhere.js', A: '1' },
  });
});
