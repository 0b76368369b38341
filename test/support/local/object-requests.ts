import { createHash } from 'node:crypto';
import path from 'node:path';
import type { LocalService } from '../../../src/local/service.ts';
import { LOCAL_STORAGE_KEY } from '../../../src/local/objects/request.ts';
import { encodeStrictly, signRequest } from '../../../src/storage/sign.ts';
import { temporaryDirectory } from '../files/temporary-directory.ts';
import { fetchFrom } from './fetch-from.ts';
import { localFixture } from './service-fixture.ts';

export interface ObjectRequest {
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly region?: string;
  readonly secret?: string;
  /** When it is signed, in milliseconds since the epoch. */
  readonly date?: number;
}

export interface ObjectAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export type SendObject = (method: string, path: string, request?: ObjectRequest) => Promise<ObjectAnswer>;

/** Sends signed requests of the S3-compatible interface to a local service in this process. `path` is `/BUCKET/KEY`, decoded. */
export const objectSender =
  (service: Pick<LocalService, 'answer'>, now: () => number): SendObject =>
  async (method, path, { query = {}, headers = {}, body = '', region = 'EU-NORTH-1', secret, date } = {}) => {
    const content = Buffer.from(body);
    const signed = signRequest(
      {
        method,
        origin: 'http://localhost',
        path: path.split('/').map(encodeStrictly).join('/'),
        query,
        headers,
        payloadHash: createHash('sha256').update(content).digest('hex'),
      },
      { ...LOCAL_STORAGE_KEY, ...(secret === undefined ? {} : { secretAccessKey: secret }) },
      region,
      date ?? now(),
    );
    const sent = new Request(signed.url, {
      method,
      headers: signed.headers,
      ...(content.byteLength === 0 ? {} : { body: content }),
    });
    const response = await fetchFrom(service, sent);
    return { status: response.status, headers: response.headers, text: await response.text() };
  };

/** The texts of the elements of a name, in their order. */
export const textsOf = (xml: string, name: string): readonly string[] =>
  [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, text = '']) => text);

export const md5 = (content: string | Uint8Array): string => createHash('md5').update(content).digest('hex');

/** A local service whose volumes are in a folder of the test. */
export function volumeFixture() {
  const volumesFolder = temporaryDirectory();
  const fixture = localFixture({ volumesFolder });
  return {
    ...fixture,
    object: objectSender(fixture.service, () => fixture.clock.now()),
    // The generation of the account: the random numbers of the fixture are all alike.
    folder: path.join(volumesFolder, '80000000', 'vol-datasets'),
  };
}

/** The status and the code of a refusal. */
export const errorOf = ({ status, text }: Pick<ObjectAnswer, 'status' | 'text'>) => [status, textsOf(text, 'Code')[0]];
