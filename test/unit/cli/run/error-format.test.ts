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
  it.each(LINES)('%s', async (line) => {
    for (const flags of ['--json', '-ojson', '-o json', '--output=jsonl']) {
      const { code, err } = await berth([...line.split(' '), ...flags.split(' ')]);
      expect([code, isJson(err)], flags).toEqual([line.includes('--local') ? 4 : 2, true]);
    }
    const printed = async (format: string, ...flags: readonly string[]): Promise<string> =>
      (await berth([...line.split(' '), ...flags], { env: { BERTH_OUTPUT: format } })).err;
    expect(isJson(await printed('json'))).toBe(true);
    for (const text of [await printed(''), await printed('', '-o', 'yaml'), await printed('json', '-o', 'table')])
      expect(text).toMatch(/^error: /);
    expect(await printed('xml')).toMatch(/^error: /);
  });
});

describe('help as a word after a noun', () => {
  it.each([
    ['pods help', 'help pods'],
    ['jobs batch help', 'help jobs batch'],
    ['jobs help batch run', 'help jobs batch run'],
  ])('%s prints the page of %s', async (line, same) => {
    const ran = await berth(line.split(' '));
    expect([ran.code, ran.err, ran.out]).toEqual([0, '', (await berth(same.split(' '))).out]);
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
