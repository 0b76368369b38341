import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { remoteService, type RemoteService } from '../../../support/servers/remote-service.ts';
import { worldAt } from '../../../support/worlds/killed-runs.ts';
import { berthIn } from '../../../support/worlds/run-berth.ts';

const POD = "{kind: pod, name: one, image: 'a/b:1', gpu: {id: GPU-24G}, env: {MODE: fast}}";
const ENDPOINT = "{kind: endpoint, name: two, image: 'a/b:1', gpu: {pools: [POOL-24G]}}";
const TEMPLATE = "{kind: template, name: three, image: 'a/b:1'}";

const apply = (remote: RemoteService, directory: string, text: string, ...argv: readonly string[]) => {
  writeFileSync(path.join(directory, 'fleet.yaml'), text);
  return berthIn(worldAt(remote.env, directory), argv.length > 0 ? argv : ['apply', 'fleet.yaml', '--yes']);
};

async function named(remote: RemoteService): Promise<readonly string[]> {
  const lists = [
    ['pods', 'pods'],
    ['serverless', 'endpoints'],
    ['templates', 'templates'],
  ].map(async ([collection = '', member = '']) => (await remote.send('GET', `/v2/${collection}`)).body[member]);
  return ((await Promise.all(lists)).flat() as readonly { name: string }[])
    .map(({ name }) => name)
    .filter((name) => ['one', 'two', 'three'].includes(name));
}

/** No create of the path is sent on before so many came. */
function together(count: number, url: string) {
  const waiting: (() => void)[] = [];
  return (seen: { readonly method?: string | undefined; readonly url?: string | undefined }) =>
    seen.method !== 'POST' || seen.url !== url
      ? undefined
      : {
          first: () =>
            new Promise<void>((resolve) => {
              waiting.push(resolve);
              if (waiting.length >= count) for (const go of waiting) go();
            }),
        };
}

test('two at once on one machine: one waits, says so, and plans again', async () => {
  const remote = await remoteService();
  const directory = temporaryDirectory();
  const text = [POD, ENDPOINT, TEMPLATE].join('\n---\n');
  const runs = await Promise.all([1, 2].map(() => apply(remote, directory, text)));
  expect(runs.map(({ code }) => code)).toEqual([0, 0]);
  expect(await named(remote)).toEqual(['one', 'two', 'three']);
  expect(
    runs.map(({ err }) => err.match(/^Waiting: another berth is at work on apply: .*\.$/gm)?.length ?? 0).toSorted(),
  ).toEqual([0, 1]);
  expect(runs.filter(({ err }) => err.includes('3 unchanged'))).toHaveLength(1);
});

test.each([
  ['pod', POD, '/v2/pods'],
  ['endpoint', ENDPOINT, '/v2/serverless'],
])('two at once with two data folders leave one %s, the older one', async (_, text, url) => {
  const remote = await remoteService(together(2, url));
  const runs = await Promise.all([1, 2].map(() => apply(remote, temporaryDirectory(), text)));
  expect(
    runs.map(({ code }) => code),
    runs.map(({ err }) => err).join(''),
  ).toEqual([0, 0]);
  expect(await named(remote)).toHaveLength(1);
  expect(runs.filter(({ err }) => err.includes('Another apply created'))).toHaveLength(1);
});

test('one that starts before the younger of two is removed waits until it is', async () => {
  const directory = temporaryDirectory();
  const both = together(2, '/v2/pods');
  let late: ReturnType<typeof apply> | undefined;
  let seen: () => void = () => undefined;
  const remote: RemoteService = await remoteService((request) => {
    if (request.method === 'DELETE')
      return {
        first: () =>
          new Promise<void>((resolve) => {
            seen = resolve;
            late = apply(remote, directory, POD);
          }),
      };
    if (late !== undefined && request.method === 'GET' && request.url?.startsWith('/v2/pods') === true)
      setImmediate(seen);
    return both(request);
  });
  await Promise.all([1, 2].map(() => apply(remote, temporaryDirectory(), POD)));
  expect(await late).toMatchObject({ code: 0, err: expect.stringContaining('1 unchanged') as string });
  expect(await named(remote)).toEqual(['one']);
});

test('a template that was created twice is reported with 5, and neither is removed', async () => {
  const remote = await remoteService(together(2, '/v2/templates'));
  const runs = await Promise.all([1, 2].map(() => apply(remote, temporaryDirectory(), TEMPLATE)));
  expect(runs.map(({ code }) => code)).toContain(5);
  expect(runs.map(({ err }) => err).join('')).toContain('2 of kind template are named three');
  expect(await named(remote)).toEqual(['three', 'three']);
});

test('plan, export and a later apply leave the mark out, also where a file clears all variables', async () => {
  const remote = await remoteService();
  const directory = temporaryDirectory();
  const bare = POD.replace(', env: {MODE: fast}', '');
  expect((await apply(remote, directory, bare)).code).toBe(0);
  const exported = await apply(remote, directory, bare, 'export', 'pod');
  expect(exported.out).not.toContain('BERTH_APPLY');
  for (const text of [bare, bare.replace('}}', '}, env: null}')])
    expect(await apply(remote, directory, text, 'plan', 'fleet.yaml')).toMatchObject({ code: 0 });
});

test('after a lost answer it looks for a minute and ends 8 with the command that finds out: never a second create', async () => {
  let posts = 0;
  const remote = await remoteService(({ method }) => {
    if (method !== 'POST') return undefined;
    posts += 1;
    return 'lose';
  });
  await remote.send('POST', '/local/fault', { kind: 'replica-lag', latencyMs: 3_600_000 });
  const ran = await apply(remote, temporaryDirectory(), POD);
  expect([ran.code, posts, ran.err]).toEqual([8, 1, expect.stringContaining('berth pods list') as string]);
});
