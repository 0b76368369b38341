import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { berthPath, cleanEnvironment, runProgram, temporaryFolder } from './support.ts';

// V8 rejects the code cache of a module that is loaded while its flags differ from those at the start.

const tls = (name: string): string => path.resolve(`test/support/tls/test-only-${name}.pem`);

/** A program to load before berth: prints the modules of Node that were loaded while the flags of V8 differed. */
const WATCH = `
const v8 = require('node:v8');
const { setFlagsFromString, cachedDataVersionTag } = v8;
const flags = cachedDataVersionTag();
let before;
v8.setFlagsFromString = (flag) => {
  if (cachedDataVersionTag() === flags) before = process.moduleLoadList.length;
  setFlagsFromString(flag);
  if (cachedDataVersionTag() === flags) process._rawDebug('loaded:' + process.moduleLoadList.slice(before).join());
};
`;

async function serve(): Promise<string> {
  const server = createServer(
    { key: readFileSync(tls('key')), cert: readFileSync(tls('certificate')) },
    (_request, response) => {
      response.setHeader('content-type', 'application/json').end('{"id":"p1","name":"train","status":"RUNNING"}');
    },
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `https://localhost:${String((server.address() as AddressInfo).port)}`;
}

test.each([[[]], [['--jq', 'keys']]] as const)(
  'no module of Node is loaded while the flags of V8 differ: pods get p1 %j',
  async (options) => {
    const watch = path.join(await temporaryFolder(), 'watch.cjs');
    await writeFile(watch, WATCH);
    const env = {
      ...(await cleanEnvironment()),
      BERTH_BASE_URL: await serve(),
      BERTH_API_KEY: 'key',
      NODE_EXTRA_CA_CERTS: tls('certificate'),
    };
    const args = ['--require', watch, berthPath(), 'pods', 'get', 'p1', ...options];
    const { code, stderr } = await runProgram(process.execPath, args, { env });
    expect(code).toBe(0);
    expect(new Set(stderr.trim().split('\n'))).toEqual(new Set(['loaded:']));
  },
);
