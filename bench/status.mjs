/**
 * The status part of `npm run bench -- local`: GET requests a second for the status of a job, to the local service in memory,
 * in turn with a server of `node:http` that answers a fixed text.
 */
import autocannon from 'autocannon';
import { load, median, pairedRatio, printTable, verdict } from './measure.mjs';
import { samplePod } from './sample-pod.mjs';
import { serve } from './serve.mjs';
import { startLocalService } from './start-local-service.mjs';

const ROUNDS = 5;
const SECONDS = 2;
const TARGET = 5000;

async function rateOf(url, headers) {
  const { requests, non2xx } = await autocannon({ url, headers, connections: 8, duration: SECONDS });
  if (non2xx > 0) throw new Error(`${url} refused ${non2xx} requests`);
  return requests.average;
}

async function submit({ url, headers }) {
  const response = await globalThis.fetch(`${url}/v2/bench/run`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: '{"input":{}}',
  });
  return (await response.json()).id;
}

export async function benchStatus({ home }) {
  const fixed = await serve(samplePod, home);
  const service = await startLocalService(home);
  const [ours, theirs] = [[], []];
  try {
    const id = await submit(service);
    for (let round = 0; round < ROUNDS; round++) {
      theirs.push(await rateOf(fixed.http, {}));
      ours.push(await rateOf(`${service.url}/v2/bench/status/${id}`, service.headers));
    }
  } finally {
    await service.stop();
    fixed.stop();
  }
  printTable(
    `GET requests a second over 8 connections, medians of ${ROUNDS} in turn, ${load()}`,
    ['', 'a second', 'ratio', 'target', ''],
    [
      ['node:http, a fixed answer', median(theirs).toFixed(0), '1.00', '', ''],
      [
        'local service, the status of a job',
        median(ours).toFixed(0),
        pairedRatio(ours, theirs).toFixed(2),
        String(TARGET),
        verdict(median(ours) >= TARGET),
      ],
    ],
  );
}
