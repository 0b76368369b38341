import { describe, expect, it } from 'vitest';
import { READ_ONLY_KEY } from '../../../../src/local/http/requests/auth.ts';
import { localFixture } from '../../../support/local/service-fixture.ts';

describe('the older volume creation (specification 4.4)', () => {
  it.each([
    [{ name: 'v', size: 10, dataCenterId: 'EU-WEST-1' }, 201],
    [{ name: 'v', size: 10, dataCenterId: 'MOON-1' }, 400],
    [{ name: 'v', size: 10 }, 422],
    [{ name: 'v', size: 10, dataCenterId: 'EU-WEST-1', type: 'STANDARD' }, 422],
  ])('%j', async (body, status) => {
    const answer = await localFixture({ v1: true }).send('POST', '/v1/networkvolumes', body);
    expect(answer.status).toBe(status);
    if (status === 201) expect(answer.body).toEqual({ id: expect.stringMatching(/^vol-/) as string, ...body });
  });

  it('needs a key that may write, and answers no other method', async () => {
    const { send } = localFixture({ v1: true });
    expect((await send('POST', '/v1/networkvolumes', {}, READ_ONLY_KEY)).status).toBe(403);
    expect((await send('GET', '/v1/networkvolumes')).status).toBe(405);
    expect((await send('GET', '/v1/nothing')).status).toBe(404);
  });

  it.each(['/v1/networkvolumes', '/v1/nothing'])(
    '%s is gone unless the service is set to answer it (additions 4)',
    async (path) => {
      const { send } = localFixture();
      const before = (await send('GET', '/v2/network-volumes')).text;
      const body = { name: 'v', size: 10, dataCenterId: 'EU-WEST-1' };
      const answer = await send('POST', path, body);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([410, 'application/problem+json']);
      expect((await send('GET', '/v2/network-volumes')).text).toBe(before);
    },
  );
});
