import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ApiRequest } from '../../../src/core/api.ts';
import type { GlobalFlags } from '../../../src/settings/resolve.ts';
import { createContext, type HostContext } from '../../../src/host/context.ts';
import { createTestWorld, type TestWorld, type TestWorldOptions } from '../../support/worlds/test-world.ts';
import type { Failure } from '../../../src/core/failure.ts';
import { hintOf } from '../../support/text/hint-of.ts';

const KEY = 'key-0123456789-WXYZ';
const POD: ApiRequest = { service: 'base', method: 'GET', path: ['v2', 'pods', 'p1'] };

/** A service that answers with the pod. With `limited` its first answer is a 429 with this Retry-After. */
async function serve(limited?: string): Promise<{ url: string; requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    if (limited !== undefined && requests.length === 1) {
      response.writeHead(429, { 'retry-after': limited }).end();
      return;
    }
    response.writeHead(200, {
      'content-type': 'application/json',
      ratelimit: '"minute";r=59;t=12',
      'ratelimit-policy': '"minute";q=60;w=60',
    });
    response.end('{"id":"p1"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, requests };
}

function open(options: TestWorldOptions & { readonly file?: unknown; readonly flags?: GlobalFlags } = {}): {
  world: TestWorld;
  ctx: HostContext;
} {
  const world = createTestWorld(options);
  if (options.file !== undefined) {
    mkdirSync(join(world.directory, '.config', 'berth'), { recursive: true });
    const text = typeof options.file === 'string' ? options.file : JSON.stringify(options.file);
    writeFileSync(join(world.directory, '.config', 'berth', 'config.json'), text);
  }
  const ctx = createContext(world, options.flags ?? {});
  onTestFinished(() => ctx.close());
  return { world, ctx };
}

/** Every file under the world's directory and all output: every place where a key could leak. */
function everything(world: TestWorld): string {
  const files = readdirSync(world.directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(world.directory, name))
    .filter((path) => statSync(path).isFile() && !path.endsWith('config.json'));
  return [world.out(), world.err(), ...files.map((path) => readFileSync(path, 'utf8'))].join('\n');
}

describe('a remote service', () => {
  it('gets the key of the environment, even if the profiles file is broken', async () => {
    const { url, requests } = await serve();
    const { world, ctx } = open({ env: { BERTH_API_KEY: `${KEY}\n`, BERTH_BASE_URL: url }, file: '{broken' });
    expect((await ctx.api.send(POD)).text).toBe('{"id":"p1"}');
    expect(requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(readFileSync(ctx.profiles.path, 'utf8')).toBe('{broken');
    await ctx.close();
    expect(everything(world)).not.toContain('0123456789');
  });

  it('gets the version of berth in the user agent, from single requests and from batches', async () => {
    const { url, requests } = await serve();
    const { ctx } = open({ env: { BERTH_API_KEY: KEY, BERTH_BASE_URL: url } });
    await ctx.api.send(POD);
    await ctx.batchApi({ signal: ctx.signal, onWindows: () => undefined }).send(POD);
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
    const agent = `berth/${version}`;
    expect(requests.map((request) => request.headers['user-agent'])).toEqual([agent, agent]);
  });

  it.each([
    ['a long wait on a terminal', true, '60', /^rate limited: trying again in 1m \(1 of 3\)\n$/],
    ['a short wait', true, '1', /^$/],
    ['a wait that nobody watches', false, '60', /^$/],
  ])('prints a note about %s', async (_, tty, retryAfter, said) => {
    const { url } = await serve(retryAfter);
    const { world, ctx } = open({ env: { BERTH_API_KEY: KEY, BERTH_BASE_URL: url }, tty });
    await ctx.api.send(POD);
    expect(world.err()).toMatch(said);
  });

  it('needs no key for a dry run', async () => {
    const { ctx } = open({ env: { BERTH_BASE_URL: 'https://api.example.com' } });
    expect(await ctx.api.preview(POD)).toMatchObject({ url: 'https://api.example.com/v2/pods/p1' });
  });
});

describe('a service that is not configured', () => {
  it.each<[string, Parameters<typeof open>[0], { exit: number; says: RegExp }]>([
    ['nothing at all: 3 and both ways on', {}, { exit: 3, says: /berth auth login.*--local/ }],
    [
      'an address without a key: 3 and both ways on',
      { env: { BERTH_BASE_URL: 'https://api.example.com' } },
      { exit: 3, says: /berth auth login.*--local/ },
    ],
    ['a key without an address: 2', { env: { BERTH_API_KEY: KEY } }, { exit: 2, says: /BERTH_BASE_URL/ }],
    ['a profile that is not there: 2', { flags: { profile: 'nope' } }, { exit: 2, says: /"nope"/ }],
    ['a broken file that is needed: 14', { file: '', env: { BERTH_API_KEY: KEY } }, { exit: 14, says: /config\.json/ }],
    [
      'an empty key: 3',
      { env: { BERTH_API_KEY: '', BERTH_BASE_URL: 'https://api.example.com' } },
      { exit: 3, says: /berth auth login/ },
    ],
    [
      'a bad timeout: 2',
      { env: { BERTH_API_KEY: KEY, BERTH_BASE_URL: 'https://api.example.com', BERTH_TIMEOUT: 'soon' } },
      { exit: 2, says: /BERTH_TIMEOUT/ },
    ],
  ])('%s', async (_, options, { exit, says }) => {
    const { ctx } = open(options);
    const failure = await ctx.api.send(POD).then(
      () => undefined,
      (error: unknown) => error as Failure,
    );
    expect(failure?.exit).toBe(exit);
    const text = `${failure?.message ?? ''}\n${failure === undefined ? '' : hintOf(failure)}`.replaceAll('\n', ' ');
    expect(text).toMatch(says);
    expect(text).not.toContain('0123456789');
  });
});

describe('the local service in this process', () => {
  it('answers without any configuration and keeps its state for the next command', async () => {
    const { world, ctx } = open({ flags: { local: true } });
    const run: ApiRequest = {
      service: 'queue',
      method: 'POST',
      path: ['v2', 'echo', 'run'],
      body: { input: { n: 1 } },
    };
    const { id } = (await ctx.api.send(run)).value as { id: string };
    await ctx.close();
    const next = createContext(world, { local: true });
    onTestFinished(() => next.close());
    const found = await next.api.send({ service: 'queue', method: 'GET', path: ['v2', 'echo', 'status', id] });
    expect(found.value).toMatchObject({ id });
    const state = join(world.directory, '.local', 'share', 'berth', 'local', 'state.json');
    expect(statSync(state).mode & 0o777).toBe(0o600);
    expect(world.out() + world.err()).toBe('');
  });
});
