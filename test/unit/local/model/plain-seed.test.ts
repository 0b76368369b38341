import { expect, test } from 'vitest';
import { localFixture, type LocalFixture } from '../../../support/local/service-fixture.ts';

type Member = readonly [path: string, value: string];

/** All texts in a value, keys of objects included, with where they are. */
function textsIn(value: unknown, path: string): readonly Member[] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => [
    [`${path} (key)`, key] as const,
    ...textsIn(each, `${path}.${key}`),
  ]);
}

/** The values of `id` (or of the rows themselves) in the one list of an answer. */
const idsIn = (body: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.values(body).flatMap((rows) =>
    Array.isArray(rows)
      ? rows.flatMap(({ id }: { readonly id?: unknown }) => (typeof id === 'string' ? [id] : []))
      : [],
  );

/** All addresses that a path such as `/v2/pods/{id}/logs` stands for, by the ids in the list above each parameter. */
async function addressesOf(send: LocalFixture['send'], path: string): Promise<readonly string[]> {
  const at = path.indexOf('{');
  if (at < 0) return [path];
  const list = await send('GET', path.slice(0, at - 1));
  const rest = path.slice(path.indexOf('}') + 1);
  const addresses = await Promise.all(
    idsIn(list.body).map((id) => addressesOf(send, `${path.slice(0, at)}${encodeURIComponent(id)}${rest}`)),
  );
  return addresses.flat();
}

/** Every text that a new account shows: lists, single things and logs. Logs are texts of JSON events. */
async function textsOfAccount(send: LocalFixture['send']): Promise<readonly Member[]> {
  const { body } = await send('GET', '/v2/openapi.json');
  const paths = Object.entries(body['paths'] as Readonly<Record<string, object>>)
    .filter(([path, operations]) => 'get' in operations && !path.endsWith('openapi.json'))
    .map(([path]) => path);
  const addresses = (await Promise.all(paths.map((path) => addressesOf(send, path)))).flat();
  const texts = await Promise.all(
    addresses.map(async (address) => {
      const { status, headers, text } = await send('GET', address);
      expect([address, status]).toEqual([address, 200]);
      const documents = headers.get('content-type')?.includes('json') === true ? [text] : eventsIn(text);
      return documents.flatMap((document) => textsIn(JSON.parse(document), address));
    }),
  );
  return texts.flat();
}

const eventsIn = (text: string): readonly string[] =>
  [...text.matchAll(/^data: ?(.*)$/gm)].map(([, data = '']) => data);

const isOdd = ([path, value]: Member): boolean =>
  // oxlint-disable-next-line no-control-regex -- that is what must not be there
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/u.test(value) ||
  (/name$/i.test(path) && value.length > 80);

test('the plain account shows no text that is difficult to print, and the odd one does', async () => {
  const { send, clock } = localFixture();
  for (const name of ['echo', 'sleep', 'fail', 'stream']) await send('POST', `/v2/${name}/run`, { input: {} });
  clock.advance(30_000);
  const plain = await textsOfAccount(send);
  expect(plain.some(([path]) => path.startsWith('/v2/pods/pod-broken/logs'))).toBe(true);
  expect(plain.some(([path]) => /\/workers\/.*\/logs/.test(path))).toBe(true);
  expect(plain.filter(isOdd)).toEqual([]);
  await send('POST', '/local/reset?seed=odd');
  const odd = new Set((await textsOfAccount(send)).filter(isOdd).map(([path]) => path));
  expect(odd).toContain('/v2/pods/pod-broken.name');
  expect(odd).toContain('/v2/pods/pod-stopped.name');
  expect([...odd].some((path) => path.startsWith('/v2/pods/pod-broken/logs'))).toBe(true);
});
