import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Clock, CredentialWait } from '../../../src/core/context.ts';
import { createTestClock } from '../../support/clocks/test-clock.ts';
import { serve, text } from '../../support/servers/scripted-server.ts';
import { openTestStorage } from '../../support/storage/open-test-storage.ts';

/** An object storage service that accepts one key; every other one has expired. */
async function openExpiring(credentialWait?: CredentialWait, signal?: AbortSignal, variables = {}, clock?: Clock) {
  let valid = 'first-id';
  const server = await serve(
    Array.from({ length: 50 }, () => (exchange) => {
      const isValid = exchange.arrival.headers.authorization?.includes(`Credential=${valid}/`) === true;
      const refusal = text('<Error><Code>ExpiredToken</Code><Message>of first-secret</Message></Error>', 400);
      (isValid ? text('', 200, { etag: '"e"', 'content-length': '0' }) : refusal)(exchange);
    }),
  );
  const env = { AWS_ENDPOINT_URL_S3: server.url, ...variables };
  const { storage, directory } = openTestStorage(
    env,
    { ...(signal === undefined ? {} : { signal }), ...(clock === undefined ? {} : { clock }) },
    { credentialWait },
  );
  const file = join(directory, '.aws', 'credentials');
  mkdirSync(join(directory, '.aws'));
  const store = (id: string): void => {
    writeFileSync(
      file,
      `[default]\naws_access_key_id = ${id}\naws_secret_access_key = ${id.replace('id', 'secret')}\n`,
    );
  };
  store('first-id');
  return {
    server,
    directory,
    store,
    /** From now on the service accepts this key only. */
    accept: (id: string) => {
      valid = id;
    },
    describe: () => storage.describe('s3://bucket/a'),
    configure: (text: string) => {
      writeFileSync(file, '');
      writeFileSync(join(directory, '.aws', 'config'), text);
    },
  };
}

/** Writes a program of Node and returns the words that run it. */
function program(directory: string, source: string): string {
  const file = join(directory, 'a program.cjs');
  writeFileSync(file, source);
  chmodSync(file, 0o700);
  return `"${process.execPath}" "${file}"`;
}

const printing = (id: string, secret = 'second-secret'): string =>
  `console.log(JSON.stringify({ Version: 1, AccessKeyId: ${id}, SecretAccessKey: '${secret}' }))`;

describe('credentials that have expired', () => {
  test('are read again from the shared file', async () => {
    const { describe, store, accept } = await openExpiring();
    await describe();
    accept('second-id');
    store('second-id');
    expect(await describe()).toMatchObject({ version: '"e"' });
  });

  test('are asked for again from the program of the profile', async () => {
    const { describe, configure, directory, accept } = await openExpiring();
    const calls = join(directory, 'calls');
    const source = `const fs = require('fs'); fs.appendFileSync(${JSON.stringify(calls)}, 'x');
      const id = fs.readFileSync(${JSON.stringify(calls)}, 'utf8').length === 1 ? 'first-id' : 'second-id';
      ${printing('id')}`;
    configure(`[default]\ncredential_process = ${program(directory, source)}\n`);
    await describe();
    accept('second-id');
    expect(await describe()).toMatchObject({ version: '"e"' });
  });

  test('fail, with the reason, when there are no new ones, and when the service never accepted them', async () => {
    const { describe, accept, store, server } = await openExpiring();
    await describe();
    accept('second-id');
    await expect(describe()).rejects.toMatchObject({
      exit: 3,
      message: expect.stringContaining('ExpiredToken') as unknown,
    });
    store('third-id');
    const before = server.seen.length;
    await expect(describe()).rejects.toMatchObject({ exit: 3 });
    // HEAD and the GET for the reason, with the second and with the third key.
    expect(server.seen.length - before).toBe(4);
  });

  test('of the environment fail at once, and the hint names a source that is read again', async () => {
    const variables = { AWS_ACCESS_KEY_ID: 'old-id', AWS_SECRET_ACCESS_KEY: 'first-secret' };
    const { describe, accept } = await openExpiring(
      { onWait: () => undefined, onEnd: () => undefined },
      undefined,
      variables,
    );
    accept('old-id');
    await describe();
    accept('second-id');
    const failure = await describe().catch((error: unknown) => error);
    expect(failure).toMatchObject({ exit: 3, hint: expect.stringContaining('AWS_PROFILE') as unknown });
    expect(String(failure)).not.toContain('first-secret');
  });
});

describe('a command that waits for credentials', () => {
  test('says it once, and goes on with new ones', async () => {
    const said: string[] = [];
    const { describe, accept, store } = await openExpiring({
      onWait: (reason) => {
        said.push(reason);
        store('second-id');
      },
      onEnd: () => said.push('end'),
    });
    await describe();
    accept('second-id');
    const [one, other] = await Promise.all([describe(), describe()]);
    expect([one?.version, other?.version]).toEqual(['"e"', '"e"']);
    expect(said).toEqual([expect.stringContaining('Waiting for new credentials of the profile "default"'), 'end']);
  });

  test('tries the same ones again after growing pauses of a minute at most, and says each minute what it waits for', async () => {
    const clock = createTestClock(Date.now());
    const said: [string, number][] = [];
    const { describe, accept, server } = await openExpiring(
      {
        onWait: (reason) => {
          said.push([reason, clock.monotonic()]);
          if (said.length > 4) accept('first-id');
        },
        onEnd: () => said.push(['end', clock.monotonic()]),
      },
      undefined,
      {},
      clock,
    );
    await describe();
    accept('second-id');
    const before = server.seen.length;
    expect(await describe()).toMatchObject({ version: '"e"' });
    const times = said.map(([, at]) => Math.round(at / 1000));
    expect(times).toEqual([0, 60, 120, 180, 240, 255]);
    expect(new Set(said.slice(0, -1).map(([text]) => text)).size).toBe(1);
    // Each attempt that is refused is HEAD and the GET for the reason: at 0, 5, 15, 35, 75, 135 and 195 seconds.
    expect(server.seen.length - before).toBe(7 * 2 + 1);
  });

  test('ends at the interrupt of the user', async () => {
    const interrupt = new AbortController();
    let waits = 0;
    const onWait = (): void => {
      waits += 1;
      interrupt.abort(new Error('interrupted'));
    };
    const { describe, accept } = await openExpiring({ onWait, onEnd: () => undefined }, interrupt.signal);
    await describe();
    accept('second-id');
    await expect(describe()).rejects.toThrow();
    expect(waits).toBe(1);
  });

  test('shows why the program of the profile fails, and asks it again', async () => {
    const said: string[] = [];
    const opened = await openExpiring({
      onWait: (reason) => {
        said.push(reason);
        opened.store('second-id');
      },
      onEnd: () => undefined,
    });
    const { describe, configure, directory, accept } = opened;
    await describe();
    accept('second-id');
    const source = `console.log('printed-secret'); console.error('sign in first.'); process.exitCode = 3`;
    configure(`[default]\ncredential_process = ${program(directory, source)}\n`);
    expect(await describe()).toMatchObject({ version: '"e"' });
    expect(said).toEqual([expect.stringContaining('it ended with code 3: sign in first. Waiting')]);
    expect(said.join()).not.toContain('printed-secret');
  });
});

describe('the program of a profile', () => {
  test.each<readonly [string, string, string]>([
    ['prints no JSON', 'console.log("printed-secret")', 'did not print JSON with Version 1'],
    ['prints another version', printing("'first-id'").replace('1', '2'), 'did not print JSON with Version 1'],
    ['fails', 'console.log("printed-secret"); console.error("no\\u001b[31m way"); process.exit(7)', 'code 7: no'],
    ['prints without an end', 'process.stdout.write("x".repeat(1e6))', 'did not print JSON'],
    ['prints a header', printing("'first-id'", 'a\\nx: y'), 'characters that no credentials have'],
  ])('is denied that %s', async (_, source, message) => {
    const { describe, configure, directory } = await openExpiring();
    configure(`[default]\ncredential_process = ${program(directory, source)}\n`);
    const failure = await describe().catch((error: unknown) => error);
    expect(failure).toMatchObject({ exit: 3, message: expect.stringContaining(message) as unknown });
    for (const hidden of ['printed-secret', '\u001b']) expect(String(failure)).not.toContain(hidden);
  });

  test.each<readonly [string, string]>([
    ['true; touch taken', 'a part for a shell'],
    ['true && touch taken', 'a part for a shell'],
    ['true | touch taken', 'a part for a shell'],
    ['true > taken', 'a part for a shell'],
    ['true "$(touch taken)"', 'did not print JSON'],
    ['true "`touch taken`" $HOME *', 'did not print JSON'],
    ['true "taken', 'a quote is not closed'],
    ['""', 'its command line is empty'],
    ['no-such-program-here', 'ENOENT'],
  ])('is run without a shell: %s', async (command, message) => {
    const { describe, configure, directory } = await openExpiring();
    configure(`[default]\ncredential_process = ${command}\n`);
    await expect(describe()).rejects.toMatchObject({ exit: 3, message: expect.stringContaining(message) as unknown });
    expect(existsSync(join(directory, 'taken'))).toBe(false);
  });
});
