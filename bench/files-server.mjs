/**
 * A service with one volume whose listing has 1,000,000 keys, 1000 in each of 1000 folders, and as many in one folder, `flat/`, which
 * the listing of all does not name. The files cost no disk.
 */
import { createServer } from 'node:http';

const FOLDERS = 1000;
const KEYS = 1000;

const xml = (content, next) =>
  `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult><IsTruncated>${next !== undefined}</IsTruncated>${next === undefined ? '' : `<NextContinuationToken>${next}</NextContinuationToken>`}${content}</ListBucketResult>`;

const number = (at) => String(at).padStart(4, '0');

const folders = Array.from(
  { length: FOLDERS },
  (_, at) => `<CommonPrefixes><Prefix>f${number(at)}/</Prefix></CommonPrefixes>`,
).join('');

const keysOf = (prefix) =>
  Array.from(
    { length: KEYS },
    (_, at) =>
      `<Contents><Key>${prefix}file-${number(at)}</Key><Size>4096</Size><ETag>"d41d8cd98f00b204e9800998ecf8427e"</ETag><LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>`,
  ).join('');

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
    const prefix = searchParams.get('prefix') ?? '';
    response.writeHead(200, { 'content-type': 'application/xml' });
    if (prefix === 'flat/') {
      const page = Number(searchParams.get('continuation-token') ?? 0);
      response.end(xml(keysOf(`flat/${number(page)}-`), page + 1 < FOLDERS ? page + 1 : undefined));
    } else response.end(xml(prefix === '' ? folders : keysOf(prefix)));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}
