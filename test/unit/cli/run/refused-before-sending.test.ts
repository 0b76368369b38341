import { describe, expect, it } from 'vitest';
import { pointedAt, problem, serve } from '../../../support/servers/scripted-server.ts';
import { berth } from '../../../support/worlds/run-berth.ts';

describe('a flag that has no effect without another flag is refused, and nothing is sent', () => {
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

  it('the flag is accepted together with the other one', async () => {
    expect((await berth('--local jobs run echo --input {} --sync --wait-timeout 5m'.split(' '))).code).toBe(0);
    expect((await berth('--local pods stop pod-train --wait --wait-timeout 5m'.split(' '))).code).toBe(0);
  });
});

it.each([
  'queue purge demo',
  'jobs cancel demo a b',
  'pods terminate pod-train',
  'pods stop --match x-* --older-than 36h',
  'files sync d datasets: --delete',
])('%s without a terminal ends 2, names --yes and sends nothing', async (line) => {
  const server = await serve([problem(500, 'not to be called')]);
  const { code, err } = await berth(line.split(' '), { env: pointedAt(server.url) });
  expect([code, err, server.seen]).toEqual([2, expect.stringMatching(/confirm[^]*--yes/), []]);
});
