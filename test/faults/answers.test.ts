import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { onWrite, reads, testEnds, writes, type Read, type Write } from '../support/worlds/read-write-commands.ts';
import { fails, works } from '../support/worlds/expect-run.ts';
import { json, raw, text, type Behaviour } from '../support/servers/scripted-server.ts';

// Rows 1, 2, 3 and 5 of docs/faults.md: answers whose body cannot be used.

const PAGE = `<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body><h1>nginx is unwell</h1></body></html>`;
const badGateway = text(PAGE, 502, { 'content-type': 'text/html' });

const head = (headers: string): string => `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${headers}\r\n\r\n`;

interface Unusable {
  readonly trouble: Behaviour;
  readonly says: RegExp;
  /** Whether a retry is useless. */
  readonly final?: true;
  /** Whether `berth api` accepts the answer, because an operation may answer like this. */
  readonly any?: true;
  /** Whether a DELETE accepts the answer, because it needs none. */
  readonly bodiless?: true;
}

/** Answers with a status of success that cannot be used. */
const UNUSABLE: Readonly<Record<string, Unusable>> = {
  'JSON cut off, shorter than its Content-Length': {
    trouble: raw(`${head('content-length: 100')}{"id":"po`),
    says: /closed|breaks off|not as long|not HTTP/,
  },
  'JSON cut off, with no Content-Length': {
    trouble: raw(`${head('connection: close')}{"id":"po`),
    says: /not JSON, or breaks off/,
  },
  'JSON cut off in the middle of a chunk': {
    trouble: raw(`${head('transfer-encoding: chunked')}64\r\n{"id":"po`),
    says: /closed|breaks off|not HTTP/,
  },
  'JSON cut off, complete as HTTP': { trouble: json('{"id":"po'), says: /not JSON, or breaks off/ },
  'an HTML page with status 200': {
    trouble: text(PAGE, 200, { 'content-type': 'text/html' }),
    says: /not JSON/,
    any: true,
  },
  'an empty 200': { trouble: json(''), says: /empty where JSON belongs/, final: true, bodiless: true },
  'white space alone': { trouble: json(' \n '), says: /empty where JSON belongs/, final: true, bodiless: true },
  'gzip that is none': { trouble: json('{}', 200, { 'content-encoding': 'gzip' }), says: /damaged|breaks off/ },
  'gzip cut off': {
    trouble: text(gzipSync('{"id":"pod1"}').subarray(0, 20), 200, { 'content-encoding': 'gzip' }),
    says: /damaged|breaks off/,
  },
  'an encoding that nobody asked for': {
    trouble: json('{}', 200, { 'content-encoding': 'zstd' }),
    says: /not asked for/,
  },
};

describe('a 502 with an HTML page', () => {
  test.each(reads)('%s tries four times, then ends 7 with the status and no HTML', async (_, { argv }: Read) => {
    const { block, error, servers } = await fails(
      argv,
      { exit: 7, says: ['502 Bad Gateway', 'tried 4 times', /Nothing changed/] },
      [badGateway],
    );
    expect(servers.map(({ seen }) => seen.length)).toEqual([4, 4]);
    expect(block + JSON.stringify(error)).not.toMatch(/<|nginx/);
    expect(error).toMatchObject({ code: 'unavailable', status: 502, request: { method: 'GET' } });
  });

  test.each(writes)('%s is sent once, ends 8 and names what finds out', async (_, write: Write) => {
    const { block, error, servers } = await fails(
      write.argv,
      { exit: 8, says: ['502 Bad Gateway', 'It may have happened', write.checkCommand] },
      [onWrite(badGateway)],
    );
    expect(servers.map(({ seen }) => seen.length - (write.before ?? 0))).toEqual([1, 1]);
    expect(block + JSON.stringify(error)).not.toMatch(/<|nginx/);
    expect(error).toMatchObject({ code: 'outcome-unknown', status: 502 });
  });

  test('a read that succeeds at the second try ends 0 without a message', async () => {
    const { out, err } = await works(['pods', 'get', 'pod1', '--json'], [badGateway, json('{"id":"pod1"}')]);
    expect(JSON.parse(out)).toEqual({ id: 'pod1' });
    expect(err).toBe('');
  });
});

describe.each(Object.entries(UNUSABLE))('%s', (_, { trouble, says, final, any, bodiless }) => {
  const isDelete = (name: string): boolean => ['delegations revoke', 'pods terminate'].includes(name);
  testEnds({
    trouble,
    says: [says],
    tries: final === true ? 1 : 4,
    only: (name) => !(bodiless === true && isDelete(name)) && !(any === true && name.startsWith('api')),
  });
});

describe('an answer that is complete and is not JSON', () => {
  const body = (number: string): string => `{"id":"j1","status":"COMPLETED","output":{"é":1,"loss":${number}}}`;

  test.each(['NaN', '-Infinity', 'Infinity'])('%s: one try, 7, and the byte', async (number) => {
    const { servers } = await fails(
      ['jobs', 'status', 'ep1', 'j1'],
      {
        exit: 7,
        says: [
          `not JSON at byte ${number.startsWith('-') ? 58 : 57}: ${number.replace('-', '')}`,
          '/ep1/status/j1 --service queue --raw-body',
        ],
      },
      [json(body(number))],
    );
    expect(servers.map(({ seen }) => seen.length)).toEqual([1, 1]);
  });

  test('a write is sent once and ends 8', async () => {
    await fails(['api', 'POST', '/v2/x'], { exit: 8, says: ['not JSON at byte 57: NaN', 'may have happened'] }, [
      json(body('NaN')),
    ]);
  });

  test('api --raw-body writes the bytes that came', async () => {
    const { out } = await works(['api', 'GET', '/v2/x', '--raw-body'], [json(body('NaN'))]);
    expect(out).toBe(body('NaN'));
  });
});

describe('an answer without a body', () => {
  test.each([204, 200])('%i to a DELETE of any kind: done', async (status) => {
    const { out, server } = await works(['api', 'DELETE', '/v2/pods/pod1', '--yes'], [text('', status)]);
    expect(out).toBe('');
    expect(server.seen.map(({ method, url }) => `${method} ${url}`)).toEqual(['DELETE /v2/pods/pod1']);
  });
});

describe('an answer that unpacks to more than the cap', () => {
  const small = { env: { BERTH_MAX_ANSWER_BYTES: '1048576' } };
  const zeros = '0'.repeat(8 * 1024 * 1024);
  const bombs: readonly (readonly [string, Behaviour])[] = [
    ['a gzip bomb', text(gzipSync(zeros), 200, { 'content-encoding': 'gzip' })],
    ['plain JSON', json(zeros)],
  ];

  test.each(bombs)('%s: 7 for a read, 8 for a write, and not tried again', async (_, bomb) => {
    const read = await fails(['pods', 'get', 'pod1'], { exit: 7, says: ['larger than 1 MB'] }, [bomb], small);
    expect(read.servers[0].seen).toHaveLength(1);
    const write = await fails(
      ['queue', 'purge', 'ep1', '--yes'],
      { exit: 8, says: ['larger than 1 MB'] },
      [bomb],
      small,
    );
    expect(write.servers[0].seen).toHaveLength(1);
  });

  test('a short answer is held to the cap too', async () => {
    const least = { env: { BERTH_MAX_ANSWER_BYTES: '1024' } };
    await fails(['pods', 'get', 'pod1'], { exit: 7, says: ['larger than 1 kB'] }, [json('0'.repeat(2000))], least);
  });

  test('an endless answer is stopped at the cap of 64 MiB, with bounded memory', async () => {
    const member = gzipSync(Buffer.alloc(16 * 1024 * 1024, '0'));
    const inUse = (): number => process.memoryUsage().arrayBuffers;
    const before = inUse();
    let most = 0;
    const endless: Behaviour = ({ response }) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      const pour = (): void => {
        most = Math.max(most, inUse());
        if (response.destroyed) return;
        if (response.write(member)) setImmediate(pour);
        else response.once('drain', pour);
      };
      pour();
    };
    await fails(['pods', 'get', 'pod1'], { exit: 7, says: ['larger than 67.1 MB'] }, [endless]);
    expect(most).toBeGreaterThan(0);
    // What was in use before may be collected meanwhile.
    expect(most - before).toBeLessThan(3 * 64 * 1024 * 1024);
  });
});
