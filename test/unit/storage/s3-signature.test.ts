import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pathOf, sha256, signRequest } from '../../../src/storage/sign.ts';
import { describeWithS3 } from '../../support/storage/s3-peer.ts';

const CREDENTIALS = { accessKeyId: 'test-id', secretAccessKey: 'test/secret+' };
const DATE = Date.UTC(2026, 1, 3, 4, 5, 6, 789);

test('a request is signed over its method, path, query, headers and body', () => {
  const { headers, url } = signRequest(
    {
      method: 'PUT',
      origin: 'http://127.0.0.1:9000',
      path: pathOf('bucket', 'a b/é+(1).jsonl'),
      query: { uploadId: 'x/y=', partNumber: '2' },
      headers: { 'content-md5': '1B2M2Y8AsgTpgAmY7PhCfg==' },
      payloadHash: sha256('content'),
    },
    { ...CREDENTIALS, sessionToken: 'a-token' },
    'us-east-1',
    DATE,
  );
  expect({ ...headers, url }).toMatchInlineSnapshot(`
    {
      "authorization": "AWS4-HMAC-SHA256 Credential=test-id/20260203/us-east-1/s3/aws4_request, SignedHeaders=content-md5;host;x-amz-content-sha256;x-amz-date;x-amz-security-token, Signature=b078597ea5b0a2783f8df0030207939c2d497c1f7a1944e229ddbd64a05a8773",
      "content-md5": "1B2M2Y8AsgTpgAmY7PhCfg==",
      "url": "http://127.0.0.1:9000/bucket/a%20b/%C3%A9%2B%281%29.jsonl?partNumber=2&uploadId=x%2Fy%3D",
      "x-amz-content-sha256": "ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73",
      "x-amz-date": "20260203T040506Z",
      "x-amz-security-token": "a-token",
    }
  `);
});

describeWithS3('a second client', (peer) => {
  const text = fc.string({ unit: 'grapheme', maxLength: 20 });
  const request = fc.record({
    method: fc.constantFrom('GET', 'PUT', 'POST', 'DELETE', 'HEAD'),
    key: text.filter((key) => !key.split('/').some((part) => part === '.' || part === '..')),
    query: fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), text, { maxKeys: 4, noNullPrototype: true }),
    headers: fc.dictionary(
      fc.constantFrom('range', 'if-match', 'content-md5', 'content-type', 'x-amz-meta-a'),
      fc.string({ maxLength: 20 }).map((value) => value.trim()),
      { noNullPrototype: true },
    ),
    body: fc.uint8Array({ maxLength: 50 }),
    token: fc.option(fc.constant('a-token/with+signs='), { nil: undefined }),
    region: fc.constantFrom('us-east-1', 'eu-x-9'),
  });

  test('signs every request in the same way', async () => {
    await fc.assert(
      fc.asyncProperty(request, async ({ method, key, query, headers, body, token, region }) => {
        const origin = 'http://127.0.0.1:9000';
        const path = pathOf('bucket', key);
        const signed = signRequest(
          { method, origin, path, query, headers, payloadHash: sha256(body) },
          { ...CREDENTIALS, sessionToken: token },
          region,
          DATE,
        );
        const theirs = await peer().sign({ method, url: signed.url, headers }, body, '20260203T040506Z', region, token);
        expect(signed.headers['authorization']).toBe(theirs);
        // The client must not change what was signed.
        expect(new URL(signed.url).href).toBe(signed.url);
      }),
      { numRuns: 100 },
    );
  });
});
