/** An object store that nobody here wrote, behind a proxy that makes it fail. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createRandom } from '../chaos/random.mjs';
import { FAULTS, startHttpFaults } from './http-faults.mjs';

const PEER = fileURLToPath(new URL('../support/storage/s3_peer.py', import.meta.url));
const PYTHON = process.env.BERTH_TRIALS_PYTHON ?? 'python3';
/** Fraction of the requests that fail. */
const FAILING = 0.25;
const BUCKET = 'trial';

/** Starts the store with one bucket. The Python that runs must have moto and boto3. Fails when it does not start. */
export async function startObjectStore(seed) {
  const child = spawn(PYTHON, [PEER], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const line = await lines.next();
    if (line.done === true) throw new Error('the object store does not start: are moto[server] and boto3 installed?');
    return JSON.parse(line.value);
  };
  const { endpoint } = await next();
  const call = async (name, ...args) => {
    child.stdin.write(`${JSON.stringify({ name, arguments: args })}\n`);
    const { result, error } = await next();
    if (error !== undefined) throw new Error(`${name}: ${error}`);
    return result;
  };
  await call('create_bucket', BUCKET);
  const random = createRandom(seed ^ 0x0b7ec7);
  const sums = {};
  let failing = true;
  const proxy = await startHttpFaults(
    endpoint,
    () => (failing && random.chance(FAILING) ? random.pick(Object.keys(FAULTS)) : undefined),
    (name) => (sums[name] = (sums[name] ?? 0) + 1),
  );
  return {
    address: `s3://${BUCKET}/results`,
    env: {
      AWS_ENDPOINT_URL_S3: proxy.url,
      AWS_ACCESS_KEY_ID: 'test-id',
      AWS_SECRET_ACCESS_KEY: 'test-secret',
      AWS_REGION: 'us-east-1',
    },
    /** Reads a part with the second client, past the faults. */
    read: async (name) => {
      const key = `results/${name.slice(name.lastIndexOf('/') + 1)}`;
      return await call('get', BUCKET, key).then(
        (text) => Buffer.from(text, 'base64'),
        () => undefined,
      );
    },
    keys: () => call('keys', BUCKET),
    faults: () => sums,
    /** No more faults. */
    calm: () => (failing = false),
    stop: async () => {
      proxy.close();
      child.stdin.end();
    },
  };
}
