import { spawn } from 'node:child_process';
import type { Runtime } from '../runtime/runtime.ts';
import { withoutKeys } from './environment.ts';

/** What opens an address, by platform. */
const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** See `Spawn.openInBrowser`. */
export function openInBrowser({ platform, env, cwd }: Runtime, url: string): Promise<boolean> {
  const [command, ...args] = OPENERS[platform] ?? ['xdg-open'];
  return new Promise((resolve) => {
    const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true, cwd, env: withoutKeys(env) });
    child.once('error', () => {
      resolve(false);
    });
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
