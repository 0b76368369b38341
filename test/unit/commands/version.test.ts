import { expect, test } from 'vitest';
import { version } from '../../../package.json';
import { json, serve, text } from '../../support/servers/scripted-server.ts';
import { berth } from '../../support/worlds/run-berth.ts';

test('berth version asks nobody', async () => {
  const { code, out } = await berth(['version', '--json']);
  expect([code, JSON.parse(out)]).toEqual([0, { installed: version }]);
});

test.each([
  ['0.0.9', false],
  [version, false],
  ['0.1.10', true],
  ['10.0.0', true],
])('--check: the published %s is newer: %s', async (published, newer) => {
  const { url } = await serve([json({ version: published })]);
  const { code, out } = await berth(['version', '--check', `${url}/version.json`, '--json']);
  expect([code, JSON.parse(out)]).toEqual([0, { installed: version, published, newer }]);
});

test.each<[string, string | undefined, number]>([
  ['no version', 'not JSON', 7],
  ['plain http to another machine', undefined, 2],
])('--check refuses %s', async (_, answer, code) => {
  const url = answer === undefined ? 'http://downloads.example.com/v.json' : (await serve([text(answer)])).url;
  expect((await berth(['version', '--check', url])).code).toBe(code);
});
