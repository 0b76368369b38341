import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { commandsOf } from '../../src/cli/model/command.ts';
import { FLAGS, NOUNS } from '../../src/registry.ts';
import { objectionsTo, SCHEMAS } from '../support/schemas/printed-schemas.ts';
import { berth } from '../support/worlds/run-berth.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Commands that run a program, or print a file or a script as it is. */
const WITHOUT_JSON = ['pods connect', 'files cat', 'local serve', 'local exec', 'completion', 'metrics', 'mcp'];

describe('the schemas', () => {
  test('every command that prints JSON has one, and help --json names it', async () => {
    const commands = await commandsOf({ nouns: NOUNS, flags: FLAGS });
    const names = commands.map(({ path }) => path.join(' '));
    expect([...SCHEMAS.keys()]).toEqual([
      ...names
        .filter((name) => !WITHOUT_JSON.includes(name))
        .map((name) => (name === 'apply' ? 'apply-results' : name)),
      'apply',
      'error',
    ]);
    const described = JSON.parse((await berth(['help', '--json'])).out) as {
      readonly commands: readonly { readonly command: string; readonly schema?: string }[];
    };
    for (const { command, schema } of described.commands)
      expect(schema).toBe(
        WITHOUT_JSON.includes(command) ? undefined : `berth schema ${command === 'apply' ? 'apply-results' : command}`,
      );
  });

  test.each([...SCHEMAS])('%s: a valid schema of the draft 2020-12, with an id that names no host', (name, schema) => {
    expect(() => objectionsTo(name, null)).not.toThrow();
    expect(schema).toMatchObject({ $id: `urn:berth:schema:${name.replaceAll(' ', '-')}` });
    expect(JSON.stringify(schema)).not.toContain('contract:');
  });
});

describe('berth schema', () => {
  test('prints the schema of one command', async () => {
    const { out } = await berth(['schema', 'pods', 'get']);
    expect(out).toBe(`${JSON.stringify(SCHEMAS.get('pods get'), undefined, 2)}\n`);
  });

  test('lists the commands that have one', async () => {
    const { out } = await berth(['schema']);
    expect(out).toMatch(/^volumes get\tshow a network volume$/m);
  });

  test.each([
    [['pods', 'gett'], 'pods get'],
    [['completion'], 'berth schema'],
  ])('%s has none: usage (2), with a hint', async (words, hint) => {
    const { code, out, err } = await berth(['schema', ...words]);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(hint);
  });
});

describe('golden files', () => {
  test.each([
    ['jobs/batch-report.json', 'jobs batch report'],
    ['jobs/batch-export.json', 'jobs batch export'],
    ['billing/report.json', 'billing report'],
  ])('%s is valid', (file, command) => {
    const document: unknown = JSON.parse(readFileSync(join(root, 'test/golden', file), 'utf8'));
    expect(objectionsTo(command, document)).toBeUndefined();
  });
});
