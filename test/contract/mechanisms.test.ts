import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const FILES = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.replaceAll('\\', '/'));

const filesWith = (pattern: RegExp): readonly string[] =>
  FILES.filter((file) => pattern.test(readFileSync(`src/${file}`, 'utf8'))).sort();

const isIn =
  (...places: readonly string[]) =>
  (file: string): boolean =>
    places.some((place) => file.startsWith(place));

// A line leaves when its file uses the mechanism. None is added.

test('what waits is in until, http, batch, host and local', () => {
  const allowed = isIn(
    ...['cli/until.ts', 'cli/run/transports.ts', 'http/', 'batch/', 'host/', 'local/', 'storage/client.ts'],
  );
  expect(filesWith(/\bclock\.sleep\(/).filter((file) => !allowed(file))).toEqual([]);
});

test('what knows of a dry run is the transport and the kit', () => {
  const allowed = isIn(
    ...['cli/', 'commands/help/describe.ts', 'commands/secrets.ts', 'commands/apply/', 'commands/guard/'],
    ...['commands/batch/run.ts', 'commands/pods/place.ts', 'commands/run/work.ts'],
  );
  expect(filesWith(/\bdryRun\b/).filter((file) => !allowed(file))).toEqual([]);
});

test('what says a price an hour is in money', () => {
  const allowed = isIn('cli/money.ts', 'core/units.ts');
  expect(filesWith(/formatDollars?(?:Range)?\([^)]*\)\}(?:\/h| an hour)/).filter((file) => !allowed(file))).toEqual([]);
});
