import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { json, pointedAt, serve, type ScriptedServer } from '../../../support/servers/scripted-server.ts';
import { answer } from '../../../support/worlds/answer-question.ts';
import { createAccount, local, type Account } from '../../../support/worlds/local-account.ts';
import { berth, berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld, KEYS } from '../../../support/worlds/test-world.ts';

/** A value that must not be anywhere but at the service. */
const VALUE = 'value-with-"quotes"-and-a-\nline-4711';

const secret = () => ({
  id: 'sec-1',
  name: 'hf-token',
  description: null,
  createdAt: '2020-01-01T00:00:00Z',
  valueLastUpdatedAt: null,
});

const sent = (server: ScriptedServer): readonly unknown[] =>
  server.seen.map(({ method, url, body }) => [
    method,
    url,
    ...(body.length === 0 ? [] : [JSON.parse(body.toString()) as unknown]),
  ]);

async function withSecret(): Promise<Account> {
  const account = createAccount();
  const ran = await account('secrets create --name hf-token --value-stdin -o id --yes', { stdin: VALUE });
  expect(ran.code, ran.err).toBe(0);
  return account;
}

describe('the value of a secret', () => {
  test('is not in an error that quotes it', async () => {
    const detail = `bad value ${VALUE}`;
    const problem = { status: 422, title: 'Unprocessable', detail, errors: [`/value: ${JSON.stringify(VALUE)}`] };
    const server = await serve([json(problem, 422, { 'content-type': 'application/problem+json' })]);
    const ran = await berth(['secrets', 'create', '--name', 'a', '--value-stdin', '--json', '--verbose'], {
      env: pointedAt(server.url),
      stdin: VALUE,
    });
    expect(ran.code).toBe(5);
    expect(ran.out + ran.err).not.toContain('4711');
    expect(ran.err).toContain('***');
  });

  test.each(['', '\n', '\r\n'])('comes from stdin and from a file, without the line end %j', async (end) => {
    const path = join(temporaryDirectory(), 'value');
    writeFileSync(path, VALUE + end);
    for (const flags of [['--value-stdin'], ['--value-file', path]]) {
      const server = await serve([json(secret(), 201)]);
      const argv = ['secrets', 'create', '--name', 'hf-token', ...flags];
      const ran = await berth(argv, { env: pointedAt(server.url), stdin: VALUE + end });
      expect(ran.code, ran.err).toBe(0);
      expect(sent(server)).toEqual([['POST', '/v2/account/secrets', { name: 'hf-token', value: VALUE }]]);
    }
  });

  test('is asked for on a terminal without an echo, also by an update without flags', async () => {
    const server = await serve([json(secret())]);
    const world = createTestWorld({ tty: true, env: pointedAt(server.url) });
    const running = berthIn(world, ['secrets', 'update', 'sec-1']);
    await answer(world, 'Value of the secret', '4711', KEYS.enter);
    const ran = await running;
    expect(ran.code, ran.err).toBe(0);
    expect(ran.out + ran.err).not.toContain('4711');
    expect(sent(server)).toEqual([['PATCH', '/v2/account/secrets/sec-1', { value: '4711' }]]);
  });

  test.each<[string, readonly string[], string | Uint8Array, RegExp]>([
    ['on the command line', ['--set', 'value=4711'], '', /the value cannot be given on the command line/],
    ['empty', ['--value-stdin'], '\n', /stdin is empty/],
    ['not UTF-8', ['--value-stdin'], Uint8Array.of(0x34, 0x37, 0xff), /stdin is not UTF-8/],
    ['with a zero byte', ['--value-stdin'], 'a\0b', /zero byte/],
    ['from two places', ['--value-stdin', '--value-file', 'x'], 'x', /use either --value-stdin or/],
    [
      'from nowhere',
      [],
      '',
      /^error: missing --value-stdin or --value-file\n {2}-> Without one, the value is asked for on a terminal\.\n$/,
    ],
  ])('is refused before anything is sent: %s', async (_, flags, stdin, message) => {
    const server = await serve([]);
    const ran = await berth(['secrets', 'create', '--name', 'a', ...flags], { env: pointedAt(server.url), stdin });
    expect([ran.code, ran.out, server.seen]).toEqual([2, '', []]);
    expect(ran.err).toMatch(message);
    expect(ran.err).not.toContain('4711');
  });
});

test('update changes the value or the description, and refuses both at once', async () => {
  const account = await withSecret();
  const both = await account('secrets update hf-token --value-stdin --description x', { stdin: VALUE });
  expect([both.code, both.err]).toEqual([2, expect.stringContaining('use either --description or a new value')]);
  for (const [given, description] of [
    ['for downloads', 'for downloads'],
    ['', null],
  ])
    expect(JSON.parse(await local(account, `secrets update hf-token --description '${given}' --json`))).toMatchObject({
      description,
    });
});

test('a secret in use is not deleted unless it is forced', async () => {
  const account = await withSecret();
  await local(
    account,
    'pods create --name lab --cpu cpu-general --vcpu 2 --image example/web --env A=@secret:hf-token -o id',
  );
  const refused = await account('secrets delete hf-token --yes');
  expect([refused.code, refused.err]).toEqual([
    5,
    expect.stringContaining('secret hf-token (sec-000001) is used by pod '),
  ]);
  await local(account, 'secrets delete hf-token --yes --force');
  expect(JSON.parse(await local(account, 'secrets list --json'))).toMatchObject([{ name: 'api-token' }]);
});
