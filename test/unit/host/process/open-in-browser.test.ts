import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openInBrowser } from '../../../../src/host/process/programs.ts';
import type { Runtime } from '../../../../src/host/runtime/runtime.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';

const URL_WITH_SIGNS = 'http://127.0.0.1:8888/?token=a&b="c"';

test.skipIf(process.platform === 'win32').each([
  ['linux', 'xdg-open', [URL_WITH_SIGNS]],
  ['darwin', 'open', [URL_WITH_SIGNS]],
  // Not `start`, which is a command of cmd.exe: it would read the signs of the address.
  ['win32', 'rundll32', ['url.dll,FileProtocolHandler', URL_WITH_SIGNS]],
] as const)('on %s, %s opens an address, which is one argument', async (platform, program, expected) => {
  const cwd = temporaryDirectory();
  const [given, complete] = [join(cwd, 'given'), join(cwd, 'complete')];
  writeFileSync(join(cwd, program), `#!/bin/sh\nprintf '%s\\n' "$@" > "${given}"\n: > "${complete}"\n`, {
    mode: 0o755,
  });
  const env = { PATH: `${cwd}:${process.env['PATH'] ?? ''}` };
  expect(await openInBrowser({ platform, env, cwd } as Partial<Runtime> as Runtime, URL_WITH_SIGNS)).toBe(true);
  await vi.waitUntil(() => existsSync(complete), { timeout: 300_000 });
  expect(readFileSync(given, 'utf8')).toBe(`${expected.join('\n')}\n`);
});

test('a machine without such a program says so', async () => {
  const cwd = temporaryDirectory();
  expect(await openInBrowser({ platform: 'win32', env: { PATH: cwd }, cwd } as Partial<Runtime> as Runtime, 'x')).toBe(
    false,
  );
});
