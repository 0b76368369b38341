import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished } from 'vitest';
import {
  berthPath,
  cleanEnvironment,
  nodePath,
  packageTest,
  runProgram,
  temporaryFolder,
  type Environment,
} from './support.ts';

const tls = (name: string): string => path.resolve(`test/support/tls/test-only-${name}.pem`);

/**
 * A program to load before berth: prints the modules of Node that were loaded while the flags of V8 differed, because V8
 * rejects the code cache of these.
 */
const WATCH_FLAGS = `
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

/** A program to load before berth: prints whether the TLS module was loaded. */
const WATCH_TLS = `
process.on('exit', () => process._rawDebug('TLS: ' + process.moduleLoadList.includes('NativeModule tls')));
`;

interface Watched {
  readonly code: number | undefined;
  readonly lines: ReadonlySet<string>;
}

/** Runs berth with an https address, and with `more` variables. Returns its exit code and the lines that `watch` printed. */
async function run(watch: string, args: readonly string[], more: Environment = {}): Promise<Watched> {
  const file = path.join(await temporaryFolder(), 'watch.cjs');
  await writeFile(file, watch);
  const env = {
    ...(await cleanEnvironment()),
    BERTH_BASE_URL: await serve(),
    BERTH_API_KEY: 'key',
    NODE_EXTRA_CA_CERTS: tls('certificate'),
    ...more,
  };
  const { code, stderr } = await runProgram(nodePath(), ['--require', file, berthPath(), ...args], { env });
  return { code, lines: new Set(stderr.match(/^(loaded|TLS):.*$/gm)) };
}

packageTest.each([['pods get p1'], ['pods get p1 --jq keys']])(
  'no module of Node is loaded while the flags of V8 differ: %s',
  async (line) => {
    expect(await run(WATCH_FLAGS, line.split(' '))).toEqual({ code: 0, lines: new Set(['loaded:']) });
  },
);

packageTest.each([
  ['pods get p1', true],
  ['pods list --help', false],
  ['config list', false],
  ['--local pods list', false],
  ['pods list --local', false],
])('the TLS module is loaded for a request over https only: %s', async (line, isLoaded) => {
  expect(await run(WATCH_TLS, line.split(' '))).toEqual({ code: 0, lines: new Set([`TLS: ${String(isLoaded)}`]) });
});

packageTest('a processor without SIMD reads answers with the other parser', async () => {
  const watch = `
const { readFileSync, realpathSync } = require('node:fs');
const { Module } = WebAssembly;
WebAssembly.Module = function (bytes) {
  const other = readFileSync(require('node:path').join(realpathSync(process.argv[1]), '../../dist/llhttp.wasm'));
  process._rawDebug('loaded:' + (other.equals(bytes) ? 'other' : 'usual'));
  return new Module(bytes);
};`;
  const line = ['pods', 'get', 'p1'];
  expect(await run(watch, line)).toEqual({ code: 0, lines: new Set(['loaded:usual']) });
  const more = { UNDICI_NO_WASM_SIMD: '1' };
  expect(await run(watch, line, more)).toEqual({ code: 0, lines: new Set(['loaded:other']) });
});
