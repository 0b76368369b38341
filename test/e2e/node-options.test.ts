import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { cleanEnvironment, nodePath, packageTest, runProgram, temporaryFolder } from './support.ts';

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
