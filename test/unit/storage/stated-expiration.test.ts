import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CredentialWait } from '../../../src/core/context.ts';
import type { ProgramEnd } from '../../../src/storage/s3/credentials/credential-process.ts';
import { createTestClock } from '../../support/clocks/test-clock.ts';
import { serve, text, type Behaviour } from '../../support/servers/scripted-server.ts';
import { openTestStorage } from '../../support/storage/open-test-storage.ts';

const MINUTE = 60_000;
const DENIED = text('<Error><Code>AccessDenied</Code></Error>', 403);

/** What the program prints: a key, and how many milliseconds after the start of the clock it expires. */
type Printed = readonly [id: string, endMs: number];

interface Options {
  /** What each run of the program prints; the last again and again. `undefined`: it fails. */
  readonly prints: readonly (Printed | undefined)[];
  /** The answer to a key that is not `valid`. */
  readonly refusal?: Behaviour;
  readonly credentialWait?: CredentialWait;
}

/** A storage service that accepts one key, and a profile whose program prints keys with the time when they expire. */
async function openStated({ prints, refusal = DENIED, credentialWait }: Options) {
  let valid = 'first-id';
  const clock = createTestClock();
  const start = clock.now();
  const keys: string[] = [];
  const server = await serve(
    Array.from({ length: 50 }, () => (exchange) => {
      const id = /Credential=([^/]*)/.exec(exchange.arrival.headers.authorization ?? '')?.[1] ?? '';
      keys.push(id);
      (id === valid ? text('', 200, { etag: '"e"', 'content-length': '0' }) : refusal)(exchange);
    }),
  );
  let runs = 0;
  const runProgram = (): Promise<ProgramEnd> => {
    const printed = prints[Math.min(runs++, prints.length - 1)];
    if (printed === undefined) return Promise.resolve({ code: 1, stdout: '', stderr: 'no sign-in' });
    const [AccessKeyId, endMs] = printed;
    const Expiration = new Date(start + endMs).toISOString();
    const stdout = JSON.stringify({ Version: 1, AccessKeyId, SecretAccessKey: 'hush-hush', Expiration });
    return Promise.resolve({ code: 0, stdout, stderr: '' });
  };
  const env = { AWS_ENDPOINT_URL_S3: server.url };
  const { storage, directory } = openTestStorage(env, { clock, runProgram }, { credentialWait });
  mkdirSync(join(directory, '.aws'));
  writeFileSync(join(directory, '.aws', 'config'), '[default]\ncredential_process = a-program\n');
  return {
    clock,
    keys,
    runs: () => runs,
    describe: () => storage.describe('s3://bucket/a'),
    /** From now on the service accepts this key only. */
    accept: (id: string) => {
      valid = id;
    },
  };
}

describe('credentials whose source says when they expire', () => {
  test('are read again five minutes before their end, and once', async () => {
    const { clock, describe, accept, keys, runs } = await openStated({
      prints: [
        ['first-id', 60 * MINUTE],
        ['second-id', 120 * MINUTE],
      ],
    });
    await describe();
    clock.advance(54 * MINUTE);
    await describe();
    expect(runs()).toBe(1);
    clock.advance(MINUTE);
    accept('second-id');
    await Promise.all([describe(), describe()]);
    await describe();
    expect(runs()).toBe(2);
    expect(keys).toEqual(['first-id', 'first-id', 'second-id', 'second-id', 'second-id']);
  });

  test('stay in use until their end where the program fails or prints the same, and it is asked once a minute', async () => {
    const { clock, describe, keys, runs } = await openStated({
      prints: [['first-id', 5 * MINUTE], undefined, ['first-id', 5 * MINUTE]],
    });
    for (let seconds = 0; seconds < 180; seconds += 30) {
      await describe();
      clock.advance(30_000);
    }
    expect(runs()).toBe(1 + 2);
    expect(new Set(keys)).toEqual(new Set(['first-id']));
  });

  test('are read again when they have expired, also those that last for seconds', async () => {
    const { clock, describe, accept, keys } = await openStated({
      prints: [
        ['first-id', 8000],
        ['second-id', 60 * MINUTE],
      ],
    });
    await describe();
    clock.advance(8000);
    accept('second-id');
    await describe();
    expect(keys).toEqual(['first-id', 'second-id']);
  });

  test.each<readonly [string, Behaviour]>([
    ['403 AccessDenied', DENIED],
    ['403 without a reason', text('', 403)],
    ['401', text('<Error><Code>Unauthorized</Code></Error>', 401)],
  ])('are waited for after %s to a key that had expired', async (_, refusal) => {
    const said: string[] = [];
    const opened = await openStated({
      prints: [['first-id', MINUTE], undefined, undefined, ['second-id', 60 * MINUTE]],
      refusal,
      credentialWait: { onWait: (reason) => said.push(reason), onEnd: () => said.push('end') },
    });
    await opened.describe();
    opened.clock.advance(MINUTE);
    opened.accept('second-id');
    expect(await opened.describe()).toMatchObject({ version: '"e"' });
    expect(said).toEqual([expect.stringContaining('no sign-in. Waiting for new credentials'), 'end']);
  });

  test('are not waited for after AccessDenied before their end, nor after the word of a wrong clock', async () => {
    const waits: string[] = [];
    const credentialWait = { onWait: (reason: string) => waits.push(reason), onEnd: () => undefined };
    const early = await openStated({ prints: [['first-id', 60 * MINUTE]], credentialWait });
    await early.describe();
    early.accept('second-id');
    await expect(early.describe()).rejects.toMatchObject({
      exit: 3,
      message: expect.stringContaining('AccessDenied') as unknown,
    });
    const skewed = await openStated({
      prints: [['first-id', MINUTE]],
      refusal: text('<Error><Code>RequestTimeTooSkewed</Code></Error>', 403),
      credentialWait,
    });
    await skewed.describe();
    skewed.clock.advance(2 * MINUTE);
    skewed.accept('second-id');
    await expect(skewed.describe()).rejects.toMatchObject({ exit: 3 });
    expect(waits).toEqual([]);
  });
});
