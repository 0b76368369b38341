import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { readKey } from '../../../../src/commands/account/ssh-keys.ts';
import { answerQuestion, said } from '../../../support/worlds/answer-question.ts';
import { berth, berthIn, type Ran } from '../../../support/worlds/run-berth.ts';
import { createTestWorld, type TestWorldOptions } from '../../../support/worlds/test-world.ts';
import * as server from '../../../support/servers/scripted-server.ts';
const { json, pointedAt, routed, serve } = server;

/** Invented keys with different texts, by name. */
const key = (name: string, comment = `${name}@host`): string =>
  `ssh-ed25519 ${Buffer.from(`the key of ${name}`).toString('base64')} ${comment}`.trim();
const [ANN, BOB, EVE] = [key('ann'), key('bob'), key('eve')];

interface Account {
  keys: readonly string[];
  /** The requests in order: `GET`, or `PUT` with the comments of the keys. */
  readonly seen: string[];
}

/** A service that stores keys. */
async function account(
  keys: readonly string[],
): Promise<{ readonly state: Account; readonly env: Readonly<Record<string, string>> }> {
  const state: Account = { keys, seen: [] };
  const answer: server.Behaviour = (exchange) => {
    const { method, body } = exchange.arrival;
    if (method === 'PUT') state.keys = (JSON.parse(body.toString()) as Account).keys;
    state.seen.push(method === 'PUT' ? `PUT ${names(state.keys)}` : method);
    json({ keys: state.keys })(exchange);
  };
  const server = await serve([routed({ 'GET /v2/account/ssh-keys': answer, 'PUT /v2/account/ssh-keys': answer })]);
  return { state, env: pointedAt(server.url) };
}

const names = (keys: readonly string[]): string => keys.map((each) => each.split(' ')[2]?.split('@')[0]).join(' ');

async function run(
  keys: readonly string[],
  argv: readonly string[],
  options: TestWorldOptions = {},
): Promise<Ran & { readonly state: Account }> {
  const { state, env } = await account(keys);
  return { state, ...(await berth(['account', 'ssh-keys', ...argv], { ...options, env })) };
}

// A key made for this test; its private part was deleted.
const BODY = 'AAAAC3NzaC1lZDI1NTE5AAAAIExZopwiG2ZVYwTmWS3e15MFGNu5RPK8Za0SWVFdn4lM';

test.each([
  [`\n# team\n  ${ANN}\r\n\r\n${BOB}`, [ANN, BOB]],
  [`\uFEFF${ANN}\n${ANN} again`, [ANN]],
  [key('ann', ''), [key('ann', '')]],
  [key('ann', 'Ann of the "third" floor'), [key('ann', 'Ann of the "third" floor')]],
])('the keys of a file are read: %j', async (stdin, keys) => {
  expect((await run([], ['add', '-'], { stdin })).state.keys).toEqual(keys);
});

test.each([
  ['-----BEGIN OPENSSH PRIVATE KEY-----\nc2VjcmV0', 'private key'],
  ['id_ed25519.pub', 'not a public SSH key'],
  [`${ANN}\ncommand="x" ${BOB}`, 'not a public SSH key: line 2'],
  ['ssh-ed25519', 'not a public SSH key'],
  ['\n# nothing\n', 'there is no key in stdin'],
])('%j is refused before a request, and never printed', async (stdin, words) => {
  const { code, err, state } = await run([ANN], ['add', '-'], { stdin });
  expect([code, state.seen, err]).toEqual([2, [], expect.stringContaining(words)]);
  expect(err).not.toMatch(/c2VjcmV0|command=/);
});

test('list shows comment, type and the fingerprint that ssh-keygen -l prints', async () => {
  const { out } = await run([`ssh-ed25519 ${BODY} me@laptop`, 'of some other form'], ['list']);
  const fingerprint = 'SHA256:7LqqGYj/gzwtdcuFXID1eDaMZ+BV0+NMCer/POtixNE';
  expect(out).toBe(`COMMENT\tTYPE\tFINGERPRINT\nme@laptop\tssh-ed25519\t${fingerprint}\n-\t-\t-\n`);
});

describe('add', () => {
  it('reads the keys, writes them with the new one', async () => {
    const { state, code, out, err } = await run([ANN], ['add', BOB, '-o', 'csv']);
    expect(code).toBe(0);
    expect(state).toEqual({ keys: [ANN, BOB], seen: ['GET', 'PUT ann bob'] });
    expect(out).toBe(`value\n${ANN}\n${BOB}\n`);
    expect(err).toBe(`added key ${readKey(BOB).fingerprint} bob@host\n`);
  });

  it('offers the keys of ~/.ssh on a terminal, and needs one elsewhere', async () => {
    const { env, state } = await account([]);
    const world = createTestWorld({ env, tty: true });
    mkdirSync(join(world.directory, '.ssh'));
    writeFileSync(join(world.directory, '.ssh/id_ed25519.pub'), `${ANN}\n`);
    const { code } = await answerQuestion(world, ['account', 'ssh-keys', 'add'], 'Key to add');
    expect([code, state.keys]).toEqual([0, [ANN]]);
    expect((await run([], ['add'])).code).toBe(2);
  });

  it('writes nothing for a key that exists with another comment', async () => {
    const { state, code, err } = await run([ANN], ['add', key('ann', 'other')]);
    expect([code, state.keys, state.seen]).toEqual([0, [ANN], ['GET']]);
    expect(err).toContain('is already there');
  });
});

describe('remove', () => {
  it.each([
    ['the comment', 'bob@host'],
    ['the fingerprint', readKey(BOB).fingerprint],
    ['the fingerprint alone', readKey(BOB).fingerprint.slice('SHA256:'.length)],
    ['the text', BOB],
  ])('by %s', async (_, word) => {
    const { state, code, err } = await run([ANN, BOB], ['remove', word, '--yes']);
    expect([code, state]).toEqual([0, { keys: [ANN], seen: ['GET', 'PUT ann'] }]);
    expect(err).toBe(`removed key ${readKey(BOB).fingerprint} bob@host\n`);
  });

  it('of the last key clears the set, and the same word may be given twice', async () => {
    const { state, out } = await run([ANN], ['remove', 'ann@host', ANN, '-y', '--json']);
    expect([state.keys, out]).toEqual([[], '[]\n']);
  });

  it('an ambiguous comment ends 2 with the candidates, and writes nothing', async () => {
    const other = key('other', 'ann@host');
    const { state, code, err } = await run([ANN, other], ['remove', 'ann@host', '--yes']);
    expect([code, state.seen]).toEqual([2, ['GET']]);
    expect(err).toContain(readKey(ANN).fingerprint);
    expect(err).toContain(readKey(other).fingerprint);
  });

  it('a word that matches no key ends 4 and writes nothing', async () => {
    const { state, code, err } = await run([ANN], ['remove', 'nobody', '--yes']);
    expect([code, state.seen]).toEqual([4, ['GET']]);
    expect(err).toContain('berth account ssh-keys list');
  });

  it('asks on a terminal with the name of the key, and keeps a key that was added while it asks', async () => {
    const { state, env } = await account([ANN, BOB]);
    const world = createTestWorld({ tty: true, env });
    const running = berthIn(world, ['account', 'ssh-keys', 'remove', 'bob@host']);
    await said(world, 'Continue?');
    state.keys = [ANN, BOB, EVE];
    await world.type('y', '\r');
    const ran = await running;
    expect([ran.code, state.keys]).toEqual([0, [ANN, EVE]]);
    expect(ran.err.replace(/\s+/g, ' ')).toContain(`SSH keys will be removed: ${readKey(BOB).fingerprint} bob@host.`);
  });
});
