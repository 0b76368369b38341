/** A service with one volume whose listing has 1,000,000 keys, all in the folder `flat/`. The files cost no disk. */
import { createServer } from 'node:http';

const [PAGES, KEYS] = [1000, 1000];

/** As long as the tokens of services: V8 keeps a short text as a copy, and a long one with the page that it is from. */
const TOKEN = 'token'.repeat(16);

const number = (at) => String(at).padStart(4, '0');

const page = (at) => {
  const next = at + 1 < PAGES ? `<NextContinuationToken>${TOKEN}${at + 1}</NextContinuationToken>` : '';
  const keys = Array.from(
    { length: KEYS },
    (_, key) =>
      `<Contents><Key>flat/${number(at)}-file-${number(key)}</Key><Size>4096</Size><ETag>"d41d8cd98f00b204e9800998ecf8427e"</ETag><LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult><IsTruncated>${next !== ''}</IsTruncated>${next}${keys.join('')}</ListBucketResult>`;
};

/** Serves until the process ends. Returns the address. */
export async function serveLargeListing() {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://localhost');
    if (pathname.startsWith('/v2/')) {
      const volume = { id: 'vol-large', name: 'large', size: 100, dataCenter: 'EU-1' };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ networkVolumes: [volume], ...volume }));
      return;
    }
    response.writeHead(200, { 'content-type': 'application/xml' });
    response.end(page(Number(searchParams.get('continuation-token')?.slice(TOKEN.length) ?? 0)));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}
