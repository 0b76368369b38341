import { spawnSync } from 'node:child_process';
import { runProgram, temporaryFolder, type Ended } from './support.ts';

/** A Chromium, by the names that it has; undefined where there is none. */
export const CHROMIUM = ['chromium', 'chromium-browser', 'google-chrome'].find(
  (name) => spawnSync(name, ['--version'], { stdio: 'ignore', timeout: 300_000 }).status === 0,
);

/** Opens an address in a headless browser. `stdout` is the page as it is once it has loaded. */
export async function openPage(address: string, ...more: readonly string[]): Promise<Ended> {
  const profile = await temporaryFolder();
  return await runProgram(
    CHROMIUM ?? '',
    [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--user-data-dir=${profile}`,
      ...more,
      '--dump-dom',
      address,
    ],
    { env: { PATH: process.env['PATH'] ?? '', HOME: profile } },
  );
}
