import { describe, expect, it } from 'vitest';
import { localFixture } from '../../../support/local/service-fixture.ts';

describe('the older volume creation (specification 4.4)', () => {
  it.each([
    [{ name: 'v', size: 10, dataCenterId: 'EU-WEST-1' }, 201],
    [{ name: 'v', size: 10, dataCenterId: 'MOON-1' }, 400],
    [{ name: 'v', size: 10 }, 422],
    [{ name: 'v', size: 10, dataCenterId: 'EU-WEST-1', type: 'STANDARD' }, 422],
  ])('%j', async (body, status) => {
    const answer = await localFixture().send('POST', '/v1/networkvolumes', body);
    expect(answer.status).toBe(status);
    if (status === 201) expect(answer.body).toEqual({ id: expect.stringMatching(/^vol-/) as string, ...body });
  });

  it('is retired by a fault', async () => {
    const { send } = localFixture();
    const before = (await send('GET', '/v2/network-volumes')).text;
    await send('POST', '/local/fault', { kind: 'server-error', status: 410, match: 'POST /v1/networkvolumes' });
    const body = { name: 'v', size: 10, dataCenterId: 'EU-WEST-1' };
    expect(await send('POST', '/v1/networkvolumes', body)).toMatchObject({ status: 410, body: { title: 'Gone' } });
    expect((await send('GET', '/v2/network-volumes')).text).toBe(before);
  });
});
