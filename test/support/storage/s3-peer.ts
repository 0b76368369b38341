import { spawn, type ChildProcessByStdio } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe } from 'vitest';
import { findPython } from '../python/find-python.ts';
import { STORAGE } from '../python/install-packages.mjs';

/** A storage service that nobody here wrote, and a second client of it. */
export interface S3Peer {
  /** `http://127.0.0.1:PORT`. */
  readonly endpoint: string;
  /** Creates an empty bucket and returns its name. */
  createBucket(): Promise<string>;
  put(bucket: string, key: string, body: Uint8Array | string): Promise<void>;
  putMany(bucket: string, keys: readonly string[]): Promise<void>;
  get(bucket: string, key: string): Promise<Buffer>;
  /** The digest of an object, in hexadecimal. */
  sha256(bucket: string, key: string): Promise<string>;
  keys(bucket: string): Promise<readonly string[]>;
  /** The number of uploads in parts that have not ended. */
  uploads(bucket: string): Promise<number>;
  /** Signs a request as the second client does and returns the authorization header. */
  sign(
    request: { readonly method: string; readonly url: string; readonly headers: Readonly<Record<string, string>> },
    body: Uint8Array,
    time: string,
    region: string,
    token: string | undefined,
  ): Promise<string>;
}

/** The credentials that the service and the second client use. */
export const S3_ENV = {
  AWS_ACCESS_KEY_ID: 'test-id',
  AWS_SECRET_ACCESS_KEY: 'test-secret',
  AWS_REGION: 'us-east-1',
} as const;

/**
 * Runs tests with a storage service in a process of its own. Its packages come from the Python of this machine, or from a
 * virtual environment that is made for the tests. Where neither works, the tests are skipped, and a note says so.
 */
export function describeWithS3(title: string, tests: (peer: () => S3Peer) => void): void {
  describe(title, () => {
    let peer: S3Peer | undefined;
    let end = (): void => undefined;
    beforeAll(async () => {
      const python = await findPython(STORAGE);
      if (python === undefined) return;
      const child = spawn(python, [SCRIPT], { stdio: ['pipe', 'pipe', 'inherit'] });
      end = () => {
        // Its standard input ends: the service ends too.
        child.stdin.end();
      };
      peer = await connect(child);
    });
    afterAll(() => {
      end();
    });
    beforeEach(({ skip }) => {
      skip(peer === undefined, 'moto and boto3 are not installed');
    });
    tests(() => {
      if (peer === undefined) throw new Error('the storage service did not start');
      return peer;
    });
  });
}

const SCRIPT = path.join(import.meta.dirname, 's3_peer.py');

async function connect(child: ChildProcessByStdio<Writable, Readable, null>): Promise<S3Peer> {
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const readLine = async (): Promise<Record<string, unknown>> => {
    const line = await lines.next();
    if (line.done === true) throw new Error('the storage service ended');
    return JSON.parse(line.value) as Record<string, unknown>;
  };
  const { endpoint } = await readLine();
  let last: Promise<unknown> = Promise.resolve();
  // One call at a time: the answers have no number.
  const call = (name: string, ...args: readonly unknown[]): Promise<unknown> => {
    const answer = last.then(async () => {
      child.stdin.write(`${JSON.stringify({ name, arguments: args })}\n`);
      const { error, result } = await readLine();
      if (error !== undefined) throw new Error(JSON.stringify(error));
      return result;
    });
    last = answer.catch(() => undefined);
    return answer;
  };
  let buckets = 0;
  return {
    endpoint: String(endpoint),
    createBucket: async () => {
      const bucket = `bucket-${String(++buckets)}`;
      await call('create_bucket', bucket);
      return bucket;
    },
    put: async (bucket, key, body) => {
      await call('put', bucket, key, Buffer.from(body).toString('base64'));
    },
    putMany: async (bucket, keys) => {
      await call('put_many', bucket, keys);
    },
    get: async (bucket, key) => Buffer.from(String(await call('get', bucket, key)), 'base64'),
    sha256: async (bucket, key) => String(await call('sha256', bucket, key)),
    keys: async (bucket) => (await call('keys', bucket)) as readonly string[],
    uploads: async (bucket) => Number(await call('uploads', bucket)),
    sign: async ({ method, url, headers }, body, time, region, token) =>
      String(
        await call('sign', method, url, headers, Buffer.from(body).toString('base64'), time, region, token ?? null),
      ),
  };
}
