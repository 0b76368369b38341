/**
 * A server in a separate process that answers every request with a list of pods. Its arguments are their number, and
 * `exact` for costs that are written 0.0. Sends its address and the length of the document to its parent.
 */
import { createServer } from 'node:http';
import { samplePod } from './sample-pod.mjs';

const [count, numbers] = process.argv.slice(2);
const STATUSES = ['RUNNING', 'EXITED', 'RUNNING', 'STARTING'];
const KEY = `ssh-ed25519 ${'AAAAC3NzaC1lZDI1NTE5AAAAI'.repeat(4)} user@example`;

const pod = (number) => {
  const status = STATUSES[number % STATUSES.length];
  const isRunning = status === 'RUNNING';
  const cost = 0.69 * (1 + (number % 8));
  return {
    ...samplePod,
    id: `pod${String(number).padStart(10, '0')}`,
    name: `training-run-${number}`,
    status,
    image: `registry.example/team/train:2.${number % 9}-cuda12.4-runtime-ubuntu22.04`,
    args: `bash -c "python train.py --seed ${number} --epochs 30 && echo done"`,
    env: {
      MODEL: `model-${number % 17}`,
      LEARNING_RATE: '0.0003',
      DATASET: 's3://datasets-eu/collections/crawl/2026-10/filtered/en/shards',
      CACHE: '/workspace/cache/models',
      NOTE: number % 50 === 0 ? 'Größe, "quoted"\nsecond line' : 'plain',
      PUBLIC_KEY: KEY,
    },
    cost: isRunning ? cost : 0,
    runtime: isRunning ? { ...samplePod.runtime, uptime: 1000 + number } : null,
    createdAt: new Date(1_767_225_600_000 + number * 60_000).toISOString(),
  };
};

const text = JSON.stringify({
  pods: Array.from({ length: Number(count) }, (_, number) => pod(number)),
  pagination: { nextCursor: null, hasNextPage: false },
});
const body = Buffer.from(numbers === 'exact' ? text.replaceAll('"cost":0,', '"cost":0.0,') : text);
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.byteLength }).end(body);
});
server.listen(0, '127.0.0.1', () => {
  process.send({ url: `http://127.0.0.1:${server.address().port}`, bytes: body.byteLength });
});
process.on('disconnect', () => process.exit());
