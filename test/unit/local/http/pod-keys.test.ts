import { describe, expect, it } from 'vitest';
import { localFixture } from '../../../support/local/service-fixture.ts';

describe('the key of a pod (additions 11)', () => {
  const withKey = async (podKeys: 'refused' | 'own') => {
    const { send } = localFixture({ podKeys });
    const key = String((await send('GET', '/local/pods/pod-train/key')).body['key']);
    const statusOf = async (method: string, path: string, body?: object) =>
      (await send(method, path, body, key)).status;
    return [
      await statusOf('GET', '/v2/pods/pod-train'),
      await statusOf('GET', '/v2/pods/pod-web'),
      await statusOf('GET', '/v2/pods'),
      await statusOf('POST', '/v2/pods/pod-train/action', { action: 'restart' }),
      await statusOf('POST', '/v2/pods/pod-train/action', { action: 'stop' }),
      (await send('GET', '/v2/pods', undefined, `${key}x`)).status,
    ];
  };

  it('is refused by the management API', async () => {
    expect(await withKey('refused')).toEqual([403, 403, 403, 403, 403, 401]);
  });

  it('reads and stops its own pod where the service is set to that', async () => {
    expect(await withKey('own')).toEqual([200, 403, 403, 403, 200, 401]);
  });
});
