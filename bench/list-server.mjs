/**
 * A server in a separate process that answers with a list of pods. Its arguments are their number, `exact` for costs that are
 * written 0.0, and the number of pages, 1 by default. Sends its address and the length of the document to its parent.
 */
import { createServer } from 'node:http';
import { samplePod } from './sample-pod.mjs';

const [count, numbers, pages = '1'] = process.argv.slice(2);
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

const size = Math.ceil(Number(count) / Number(pages));

/** The pages by their cursor, which is their number. */
const bodies = Array.from({ length: Number(pages) }, (_, page) => {
  const rows = Array.from({ length: Math.min(size, Number(count) - page * size) }, (__, at) => pod(page * size + at));
  const hasNextPage = page + 1 < Number(pages);
  const pagination = { nextCursor: hasNextPage ? String(page + 1) : null, hasNextPage };
  const text = JSON.stringify({ pods: rows, pagination });
  return Buffer.from(numbers === 'exact' ? text.replaceAll('"cost":0,', '"cost":0.0,') : text);
});
const server = createServer((request, response) => {
  const { searchParams } = new URL(request.url, 'http://service');
  const body = bodies[Number(searchParams.get('cursor') ?? '0')];
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.byteLength }).end(body);
});
server.listen(0, '127.0.0.1', () => {
  process.send({
    url: `http://127.0.0.1:${server.address().port}`,
    bytes: bodies.reduce((sum, body) => sum + body.byteLength, 0),
  });
});
process.on('disconnect', () => process.exit());
