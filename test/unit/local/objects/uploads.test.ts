import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { errorOf, md5, objectSender, textsOf, volumeFixture } from '../../../support/local/object-requests.ts';
import { localFixture } from '../../../support/local/service-fixture.ts';

describe('an upload in parts', () => {
  const complete = (parts: readonly (readonly [number, string])[]): string =>
    `<CompleteMultipartUpload>${parts.map(([number, etag]) => `<Part><PartNumber>${String(number)}</PartNumber><ETag>${etag}</ETag></Part>`).join('')}</CompleteMultipartUpload>`;

  async function begun() {
    const all = volumeFixture();
    const { text } = await all.object('POST', '/vol-datasets/big', { query: { uploads: '' } });
    const uploadId = textsOf(text, 'UploadId')[0] ?? '';
    const put = (number: number, body: string) =>
      all.object('PUT', '/vol-datasets/big', { query: { partNumber: String(number), uploadId }, body });
    const end = (parts: readonly (readonly [number, string])[]) =>
      all.object('POST', '/vol-datasets/big', { query: { uploadId }, body: complete(parts) });
    return { ...all, uploadId, put, end };
  }

  it('is there when it is completed, with the ETag of its parts, also after a restart', async () => {
    const { object, put, end, uploadId, folder, clock } = await begun();
    await put(2, 'second');
    await put(1, 'wrong');
    await put(1, 'first ');
    expect((await object('HEAD', '/vol-datasets/big')).status).toBe(404);
    const listed = await object('GET', '/vol-datasets/big', { query: { uploadId } });
    expect([textsOf(listed.text, 'PartNumber'), textsOf(listed.text, 'Size')]).toEqual([
      ['1', '2'],
      ['6', '6'],
    ]);
    expect(textsOf((await object('GET', '/vol-datasets', { query: { uploads: '' } })).text, 'Key')).toEqual(['big']);
    const etag = `"${md5(Buffer.from(md5('first ') + md5('second'), 'hex'))}-2"`;
    expect(
      (
        await end([
          [1, md5('first ')],
          [2, `"${md5('second')}"`],
        ])
      ).status,
    ).toBe(200);
    const restarted = objectSender(localFixture({ volumesFolder: path.dirname(path.dirname(folder)) }).service, () =>
      clock.now(),
    );
    for (const each of [object, restarted]) {
      const { text, headers } = await each('GET', '/vol-datasets/big');
      expect([text, headers.get('etag')]).toEqual(['first second', etag]);
    }
    expect(existsSync(path.join(folder, '.s3compat_uploads', uploadId))).toBe(false);
    expect(textsOf((await object('GET', '/vol-datasets')).text, 'Key')).toEqual(['big']);
  });

  it('is joined once, where two requests complete it at the same time', async () => {
    const { object, put, end } = await begun();
    await put(1, 'first');
    const both = await Promise.all([end([[1, md5('first')]]), end([[1, md5('first')]])]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect((await object('GET', '/vol-datasets/big')).text).toBe('first');
  });

  it.each([
    [
      'a part that is not there',
      [
        [1, md5('first')],
        [3, md5('x')],
      ],
      'InvalidPart',
    ],
    ['another ETag', [[1, md5('other')]], 'InvalidPart'],
    [
      'another order',
      [
        [2, md5('second')],
        [1, md5('first')],
      ],
      'InvalidPartOrder',
    ],
    ['no parts', [], 'MalformedXML'],
  ] as const)('is not completed with %s', async (_, parts, code) => {
    const { put, end, object } = await begun();
    await put(1, 'first');
    await put(2, 'second');
    expect(errorOf(await end(parts))).toEqual([400, code]);
    expect((await object('HEAD', '/vol-datasets/big')).status).toBe(404);
  });

  it('that is aborted is gone, with its parts', async () => {
    const { object, put, uploadId } = await begun();
    await put(1, 'first');
    expect((await object('DELETE', '/vol-datasets/big', { query: { uploadId } })).status).toBe(204);
    expect(errorOf(await put(2, 'x'))).toEqual([404, 'NoSuchUpload']);
    expect(textsOf((await object('GET', '/vol-datasets', { query: { uploads: '' } })).text, 'Key')).toEqual([]);
  });
});
