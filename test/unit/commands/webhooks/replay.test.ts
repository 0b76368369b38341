import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { serve } from '../../../support/servers/http-server.ts';
import { listening } from '../../../support/webhooks/listening.ts';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld, type TestWorld } from '../../../support/worlds/test-world.ts';

const job = (id: string) => JSON.stringify({ id, status: 'COMPLETED' });
const send = async (url: string, body: string) => (await fetch(url, { method: 'POST', body })).status;
const idsOf = async (world: TestWorld, ...flags: readonly string[]) =>
  (await berthIn(world, ['webhooks', 'list', '-o', 'id', ...flags])).out.split('\n').filter(Boolean);

it('--failed posts the latest about each job that no receiver took, once; then nothing is left', async () => {
  let status = 500;
  const receiver = await serve((response) => response.writeHead(status).end());
  const { world, url, stop } = await listening(['--forward-to', receiver.url]);
  for (const id of ['a', 'a', 'b', 'c']) expect(await send(url, job(id))).toBe(500);
  status = 200;
  expect(await send(url, job('b'))).toBe(200);
  await stop();
  expect(await idsOf(world, '--failed')).toHaveLength(2);
  const before = receiver.seen.length;
  const { code, out } = await berthIn(world, ['webhooks', 'replay', '--failed', '--json']);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject([
    { name: 'a', ok: true },
    { name: 'c', ok: true },
  ]);
  expect(receiver.seen.slice(before).map(({ body }) => body.toString())).toEqual([job('a'), job('c')]);
  expect(await idsOf(world, '--failed')).toEqual([]);
});

it('a receiver that still fails ends with 7, an unknown id with 4, and no receiver with 2', async () => {
  const receiver = await serve((response) => response.writeHead(404).end());
  const { world, url, stop } = await listening();
  await send(url, job('a'));
  await stop();
  const [id = ''] = await idsOf(world);
  const failed = await berthIn(world, ['webhooks', 'replay', id, '--to', receiver.url]);
  expect([failed.code, failed.err]).toEqual([7, expect.stringContaining('the receiver answered 404 and not 200')]);
  expect((await berthIn(world, ['webhooks', 'replay', '../../etc/passwd', '--to', receiver.url])).code).toBe(4);
  const nowhere = await listening();
  await send(nowhere.url, job('a'));
  await nowhere.stop();
  const [other = ''] = await idsOf(nowhere.world);
  expect((await berthIn(nowhere.world, ['webhooks', 'replay', other])).code).toBe(2);
});

it.each([
  [[], 'nothing says which'],
  [['some-id', '--failed'], 'exclude each other'],
  [['--failed', '--to', 'file:///etc/passwd'], 'not an http or https address'],
  [['--failed', '--to', 'http://me:secret@127.0.0.1/'], 'holds a user name or password'],
])('%j is refused before anything is sent', async (argv, words) => {
  const { code, err } = await berthIn(createTestWorld(), ['webhooks', 'replay', ...argv]);
  expect([code, err]).toEqual([2, expect.stringContaining(words)]);
  expect(err).not.toContain('secret');
});

it('--since takes the last span by the date at which each came', async () => {
  const receiver = await serve((response) => response.writeHead(200).end());
  const { world, url, stop } = await listening();
  await send(url, job('old'));
  world.clock.advance(2 * 3_600_000);
  await send(url, job('new'));
  await stop();
  expect((await berthIn(world, ['webhooks', 'replay', '--since', '1h', '--to', receiver.url])).code).toBe(0);
  expect(receiver.seen.map(({ body }) => body.toString())).toEqual([job('new')]);
});

it('files that were cut off or are something else are left out of the list', async () => {
  const { world, url, stop } = await listening();
  await send(url, job('a'));
  await send(url, job('b'));
  await stop();
  const [first = '', second = ''] = await idsOf(world);
  const folder = join(world.directory, '.local/share/berth/webhooks');
  appendFileSync(join(folder, `${first}.json`), '{"at":1,"sta');
  writeFileSync(join(folder, `${second}.json`), '{"at":"x"}\n');
  writeFileSync(join(folder, 'notes.txt'), 'mine');
  expect(await idsOf(world)).toEqual([first]);
});
