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
});
