import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { createAccount } from '../../../support/worlds/local-account.ts';

test.each([
  ['template', 'template: missing-one'],
  ['volume', 'volume: missing-one'],
  ['registry', 'registry: missing-one'],
])('a %s that neither the files nor the service have is named with its file and line', async (kind, line) => {
  const cwd = temporaryDirectory();
  writeFileSync(join(cwd, 'fleet.yaml'), `kind: endpoint\nname: api\nimage: x\n${line}\n`);
  const ran = await createAccount()('plan fleet.yaml', { cwd });
  expect(ran.err).toMatch(
    new RegExp(`fleet\\.yaml:4:\\d+: neither the files nor the service have a ${kind} "missing-one"`),
  );
  expect(ran.code).toBe(2);
});
