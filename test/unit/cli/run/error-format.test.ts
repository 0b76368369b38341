import { describe, expect, it } from 'vitest';
import { berth } from '../../../support/worlds/run-berth.ts';

const LINES = ['pods get --wrong', 'pods get nope --local'];

const isJson = (text: string): boolean => {
  try {
    return 'error' in (JSON.parse(text) as object);
  } catch {
    return false;
  }
};

describe('a failure is printed in the requested format', () => {
  for (const line of LINES) {
    it.each(['--json', '-ojson', '-o json', '--output=json', '--output json', '-ojsonl', '--output=jsonl'])(
      `berth ${line} %s: JSON`,
      async (flags) => {
        const { code, err } = await berth([...line.split(' '), ...flags.split(' ')]);
        expect([code, isJson(err)]).toEqual([line.includes('--local') ? 4 : 2, true]);
      },
    );

    it.each(['json', 'jsonl'])(`BERTH_OUTPUT=%s berth ${line}: JSON`, async (format) => {
      const { err } = await berth(line.split(' '), { env: { BERTH_OUTPUT: format } });
      expect(isJson(err)).toBe(true);
    });

    it.each([[['-o', 'yaml']], [[]]])(`berth ${line} %j: text`, async (flags) => {
      const { err } = await berth([...line.split(' '), ...flags]);
      expect(err).toMatch(/^error: /);
    });

    it(`BERTH_OUTPUT=json berth ${line} -o table: text`, async () => {
      const { err } = await berth([...line.split(' '), '-o', 'table'], { env: { BERTH_OUTPUT: 'json' } });
      expect(err).toMatch(/^error: /);
    });

    it(`berth ${line} with an invalid BERTH_OUTPUT: text`, async () => {
      const { code, err } = await berth(line.split(' '), { env: { BERTH_OUTPUT: 'xml' } });
      expect([code, err.startsWith('error: ')]).toEqual([2, true]);
    });
  }
});

describe('help as a word after a noun', () => {
  it.each([
    [
      ['pods', 'help'],
      ['help', 'pods'],
    ],
    [
      ['jobs', 'batch', 'help'],
      ['help', 'jobs', 'batch'],
    ],
    [
      ['jobs', 'help', 'batch', 'run'],
      ['help', 'jobs', 'batch', 'run'],
    ],
  ])('%j prints the page of %j', async (argv, same) => {
    const ran = await berth(argv);
    expect([ran.code, ran.err, ran.out]).toEqual([0, '', (await berth(same)).out]);
  });

  it('of a verb that is not there is an unknown command', async () => {
    const { code, err } = await berth(['pods', 'help', 'gett']);
    expect([code, err]).toEqual([2, expect.stringContaining("unknown command 'gett'") as string]);
  });
});

describe('with --json, a command line that ends before its verb', () => {
  it.each([
    [['--json'], 'a command is missing', 'berth help --json'],
    [['pods', '--json'], "a verb is missing after 'pods'", 'berth help pods --json'],
    [['jobs', 'batch', '-o', 'json'], "a verb is missing after 'jobs batch'", 'berth help jobs batch --json'],
  ])('%j is an error as JSON, and names what describes the commands', async (argv, message, command) => {
    const ran = await berth(argv);
    expect([ran.code, ran.out]).toEqual([2, '']);
    expect(JSON.parse(ran.err)).toMatchObject({
      error: { code: 'usage', message, hint: expect.stringContaining(command) as string },
    });
  });

  it('has the description of the commands with --help', async () => {
    for (const path of [['pods'], ['jobs', 'batch'], ['pods', 'get'], []])
      expect((await berth([...path, '--help', '--json'])).out).toBe((await berth(['help', ...path, '--json'])).out);
  });
});
