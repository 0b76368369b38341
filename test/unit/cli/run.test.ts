import { describe, expect, it } from 'vitest';
import { berth } from '../../support/cli.ts';

describe('a flag that says nothing without another is refused, and nothing is sent', () => {
  it.each<[string, string]>([
    ['pods stop pod-train --wait-timeout 5s', '--wait-timeout needs --wait'],
    ['pods create --name a --wait-timeout 5s', '--wait-timeout needs --wait'],
    ['pods get pod-train --interval 5s', '--interval needs --watch'],
    ['health demo --interval 5s', '--interval needs --watch'],
    ['jobs run demo --input {} --wait-timeout 5s', '--wait-timeout needs --wait or --stream or --sync'],
    ['jobs run demo --input {} --wait --sync-wait 5s', '--sync-wait needs --sync'],
    ['jobs retry demo JOB --wait-timeout 5s', '--wait-timeout needs --wait'],
    ['endpoints releases demo --wait-timeout 5s', '--wait-timeout needs --wait'],
  ])('%s', async (line, message) => {
    const { code, err } = await berth(['--local', ...line.split(' ')]);
    expect([code, err.includes(message)]).toEqual([2, true]);
  });

  it('is taken with it', async () => {
    expect((await berth('--local jobs run echo --input {} --sync --wait-timeout 5m'.split(' '))).code).toBe(0);
    expect((await berth('--local pods stop pod-train --wait --wait-timeout 5m'.split(' '))).code).toBe(0);
  });
});
