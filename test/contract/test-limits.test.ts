import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

// A slow machine may take as long as it needs: a test has no limit of its own that is shorter than that of all tests.

const TESTS = path.resolve(import.meta.dirname, '..');
/** What all tests have, in milliseconds: test/support/environment/vitest-defaults.ts. */
const LIMIT_MS = 300_000;

/**
 * The limits of tests, of hooks, of waits and of programs that tests start. Documents of the service have members of the same name, so an
 * object counts only where it is the options of a test, or stands in the line of such a call.
 */
const LIMITS = [
  /\b(?:testTimeout|hookTimeout):\s*([\d_]+)/g,
  /^ {2}\{ timeout: ([\d_]+)(?:, \w+: [\w]+)* \},?$/gm,
  /\b(?:expect\.poll|waitUntil|vi\.waitFor|spawnSync|execFileSync|test|it)\b[^\n]*\btimeout: ([\d_]+)/g,
];

const limitsIn = (text: string): readonly number[] =>
  LIMITS.flatMap((limit) => [...text.matchAll(limit)].map(([, digits]) => Number(digits?.replaceAll('_', ''))));

test('no test has a limit that a slow machine may reach', () => {
  const names = readdirSync(TESTS, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.m?ts$/.test(name) && path.join(TESTS, name) !== import.meta.filename,
  );
  const short = names.filter((name) =>
    limitsIn(readFileSync(path.join(TESTS, name), 'utf8')).some((limit) => limit > 0 && limit < LIMIT_MS),
  );
  expect(names.length).toBeGreaterThan(400);
  expect(short).toEqual([]);
});
