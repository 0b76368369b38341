import { describe, expect, it } from 'vitest';
import { berth } from '../../../support/worlds/run-berth.ts';

describe('an id or name that does not exist ends 4 and names the command that lists what exists', () => {
  it.each([
    ['pods get nope', 'berth pods list'],
    ['pods stop nope', 'berth pods list'],
    ['pods wait nope', 'berth pods list'],
    ['endpoints get nope', 'berth endpoints list'],
    ['health nope', 'berth endpoints list'],
    ['volumes delete nope --yes', 'berth volumes list'],
    ['templates get nope', 'berth templates list'],
    ['registries get nope', 'berth registries list'],
    ['registries delegations revoke nope --yes', 'berth registries delegations list'],
    ['clusters get nope', 'berth clusters list'],
    ['catalog gpus nope', 'berth catalog gpus'],
    ['catalog datacenters nope', 'berth catalog datacenters'],
  ])('berth %s: see %s', async (line, list) => {
    const { code, err } = await berth(['--local', ...line.split(' ')]);
    expect([code, err]).toEqual([4, expect.stringContaining(`see ${list}.`) as string]);
  });
});
