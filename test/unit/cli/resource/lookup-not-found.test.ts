import { describe, expect, it } from 'vitest';
import { berth } from '../../../support/worlds/run-berth.ts';

describe('an id or name that does not exist ends 4 and names the command that lists what exists', () => {
  it.each([
    ['pods get nope', 'berth --local pods list'],
    ['pods stop nope', 'berth --local pods list'],
    ['pods wait nope', 'berth --local pods list'],
    ['endpoints get nope', 'berth --local endpoints list'],
    ['health nope', 'berth --local endpoints list'],
    ['templates get nope', 'berth --local templates list'],
    ['registries get nope', 'berth --local registries list'],
    ['registries delegations revoke nope --yes', 'berth --local registries delegations list'],
    ['volumes delete nope --yes', 'berth --local volumes list'],
    ['clusters get nope', 'berth --local clusters list'],
    ['catalog gpus nope', 'berth --local catalog gpus'],
    ['catalog datacenters nope', 'berth --local catalog datacenters'],
  ])('berth %s: see %s', async (line, list) => {
    const { code, err } = await berth(['--local', ...line.split(' ')]);
    expect([code, err]).toEqual([4, expect.stringMatching(new RegExp(`(see|Run) ${list}[.\n]`)) as string]);
  });
});
