import { randomBytes } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { berth, cleanEnvironment, serve } from './support.ts';
import { hasTerminal, inTerminal } from './terminal.ts';

/** A key that stands nowhere: made for this run. */
const key = `key-${randomBytes(12).toString('hex')}`;
const tail = key.slice(-4);

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
}

describe('a key', () => {
  test.skipIf(!hasTerminal)(
    'never shows while it is typed, and lies in one file that only its owner reads',
    async () => {
      const env = await cleanEnvironment();
      const url = await serve((request, response) => {
        response.statusCode = request.headers.authorization === `Bearer ${key}` ? 200 : 401;
        response.setHeader('content-type', 'application/json').end('{"delegations":[]}');
      });
      const terminal = await inTerminal(
        { columns: 80, rows: 24 },
        ['auth', 'login', '--base-url', url, '--queue-url', url, '--rest-url', url],
        env,
      );
      await terminal.waitFor('API key');
      terminal.type(key);
      await terminal.waitFor('***');
      terminal.press('Enter');
      const screen = await terminal.waitFor('ended 0');
      expect(screen).not.toContain(key);
      expect(screen).toContain(`ends in ${tail}`);

      const file = path.join(env['BERTH_CONFIG_DIR'] ?? '', 'config.json');
      expect((await stat(file)).mode & 0o777).toBe(0o600);

      const said: string[] = [];
      for (const args of [
        ['auth', 'status'],
        ['auth', 'status', '--check', '--json'],
        ['auth', 'list', '-o', 'wide'],
        ['config', 'list', '--json'],
        ['doctor'],
        ['--verbose', 'registries', 'delegations', 'list'],
        ['api', 'POST', '/v2/pods', '-f', 'name=x', '--dry-run'],
        ['--verbose', 'pods', 'get', 'x'],
      ]) {
        const { stdout, stderr } = await berth(args, { env });
        said.push(stdout, stderr);
      }
      expect(said.join('\n')).toContain(`ends in ${tail}`);
      expect(said.join('\n')).not.toContain(key);
      expect(said.join('\n')).not.toContain(key.slice(-5));

      const holders: string[] = [];
      for (const each of await filesBelow(env['HOME'] ?? ''))
        if ((await readFile(each)).includes(key)) holders.push(each);
      expect(holders).toEqual([file]);
    },
  );
});
