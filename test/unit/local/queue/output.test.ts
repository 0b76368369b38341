import { describe, expect, test } from 'vitest';
import { arrayOf, type Json, memberAt } from '../../../../src/core/json.ts';
import { MAX_CHUNK_BYTES } from '../../../../src/local/queue/job-output.ts';
import { COLD_START_MS } from '../../../../src/local/queue/workers.ts';
import { createHarness, type Harness } from '../../../support/local/queue-fixture.ts';

describe('numbers and text come back exactly', () => {
  test.each([
    '{"n":9007199254740993}',
    '{"n":1e400}',
    '{"n":1.0,"m":-0}',
    '{ "spaced" :\n [1,\t2] }',
    '{"u":"\\u0041\\ud800","é":"é"}',
    '{"a":1,"a":2}',
    `{"deep":${'['.repeat(400)}${']'.repeat(400)}}`,
    '{"input":{"input":"}\\"]"}}',
  ])('%s', async (input) => {
    const service = createHarness();
    const sent = await service.call('POST /demo/runsync', `{"x":"\\"input\\":{}","input": ${input} ,"policy":{}}`);
    expect(sent.text).toContain(`"output":${input},"status":"COMPLETED"`);
  });
});

interface Chunk {
  readonly output: { readonly text: readonly string[] };
  readonly metrics: { readonly stream_index: number };
}

const chunksOf = async (service: Harness, endpointId: string, id: string): Promise<readonly Json[]> =>
  arrayOf((await service.call(`GET /${endpointId}/stream/${id}`)).value) ?? [];

describe('stream (specification 4.5, 4)', () => {
  test('chunks come as they are made, each once, and the final output holds them all', async () => {
    const service = createHarness();
    const id = await service.submit('stream', '{"chunks":3}');
    expect((await service.call(`GET /stream/stream/${id}?wait=0`)).text).toBe('[]');
    service.pass(COLD_START_MS);
    const seen: Json[] = [];
    for (let polls = 0; polls < 4; polls++) seen.push(...(await chunksOf(service, 'stream', id)));
    expect(seen).toEqual(
      [0, 1, 2].map((index) => ({
        output: { text: [`chunk ${String(index + 1)} `], input_tokens: 0, output_tokens: index + 1 },
        metrics: { scenario: 0, stream_index: index },
      })),
    );
    const { status, output } = await service.status('stream', id);
    expect(status).toBe('COMPLETED');
    expect(output).toEqual(seen.map((chunk) => memberAt(chunk, 'output')));
  });

  test('a poll waits for a chunk as long as `wait` says, and not at all once the job has ended', async () => {
    const service = createHarness();
    const id = await service.submit('sleep', '{"seconds":5}');
    const from = service.clock.now();
    expect((await service.call(`GET /sleep/stream/${id}?wait=1000`)).text).toBe('[]');
    expect(service.clock.now() - from).toBe(1000);
    expect((await service.call(`GET /sleep/stream/${id}?wait=0`)).text).toBe('[]');
    expect(service.clock.now() - from).toBe(1000);
    service.pass(10_000);
    const later = service.clock.now();
    expect(await chunksOf(service, 'sleep', id)).toEqual([]);
    expect(service.clock.now()).toBe(later);
  });

  test('a poll without `wait` is held for ten seconds when there is no chunk', async () => {
    const service = createHarness();
    const id = await service.submit('sleep', '{"seconds":50}');
    const from = service.clock.now();
    expect((await service.call(`GET /sleep/stream/${id}`)).text).toBe('[]');
    expect(service.clock.now() - from).toBe(10_000);
  });

  test('an output of several megabytes comes in chunks of at most 1 MB, whole', async () => {
    const service = createHarness();
    const id = await service.submit('stream', '{"chunks":2,"bytes":2500000}');
    service.pass(10_000);
    // The platform's own reader: these texts are long, and no number in them needs exactness.
    const chunks = JSON.parse((await service.call(`GET /stream/stream/${id}`)).text) as readonly Chunk[];
    expect(chunks).toHaveLength(6);
    for (const chunk of chunks) expect(Buffer.byteLength(JSON.stringify(chunk))).toBeLessThanOrEqual(MAX_CHUNK_BYTES);
    expect(chunks.map(({ metrics }) => metrics.stream_index)).toEqual([0, 1, 2, 3, 4, 5]);
    const { text } = await service.call(`GET /stream/status/${id}`);
    const { output } = JSON.parse(text) as { readonly output: readonly Chunk['output'][] };
    const joined = (outputs: readonly Chunk['output'][]): string => outputs.flatMap((part) => part.text).join('');
    expect(joined(chunks.map((chunk) => chunk.output)) === joined(output)).toBe(true);
    expect(joined(output)).toHaveLength(5_000_000);
  });
});
