import { describe, expect, test } from 'vitest';
import { remoteService } from '../../../support/servers/remote-service.ts';
import { berth } from '../../../support/worlds/run-berth.ts';

/** Commands that ask for what is missing. */
const ASKING = [
  'pods create',
  'endpoints create',
  'volumes create',
  'secrets create',
  'registries create',
  'clusters create',
  'jobs run echo',
] as const;

describe('without a key no question is asked', () => {
  test.each(ASKING)('by %s where nothing is configured', async (line) => {
    const ran = await berth(line.split(' '), { tty: true });
    expect([ran.code, ran.err], ran.err).toEqual([3, expect.stringContaining('there is no key and no address')]);
    expect(ran.err).not.toMatch(/[?:] *$|Name|Image/m);
  });

  test.each(ASKING.slice(0, 2))('by %s where only an address is configured', async (line) => {
    const { env } = await remoteService();
    const ran = await berth(line.split(' '), { tty: true, env: { ...env, BERTH_API_KEY: '' } });
    expect([ran.code, ran.err], ran.err).toEqual([3, expect.stringContaining('no API key is configured')]);
  });

  test('by pods create for a profile that does not exist', async () => {
    const ran = await berth(['--profile', 'nowhere', 'pods', 'create'], { tty: true });
    expect([ran.code, ran.err], ran.err).toEqual([2, expect.stringContaining('nowhere')]);
  });
});
