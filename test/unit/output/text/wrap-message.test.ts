import { describe, expect, test } from 'vitest';
import { usage } from '../../../../src/core/failure.ts';
import { safeText } from '../../../../src/core/safe-text.ts';
import { renderFailure } from '../../../../src/output/failure.ts';
import { wrapMessage } from '../../../../src/output/text/wrap-message.ts';
import { screen } from '../../../support/output/screen.ts';

describe('text for a person', () => {
  test.each<[string, number | undefined, string]>([
    ['one two three four five six', 20, 'one two three four\n  five six'],
    ['  -> one two three four five', 20, '  -> one two three\n    four five'],
    ['one\n\ntwo two two two two two', 20, 'one\n\ntwo two two two two\n  two'],
    ['at https://example.com/a/long/one now', 20, 'at\n  https://example.com/a/long/one\n  now'],
    ['two  spaces', 20, 'two  spaces'],
    ['日本語日本語 日本語日本語', 20, '日本語日本語\n  日本語日本語'],
    ['one two three four five six', undefined, 'one two three four five six'],
    ['', 20, ''],
    ['Go on with: berth jobs wait demo a', 20, 'Go on with:\n  berth jobs wait demo a'],
    ['Go: berth jobs wait a. Or begin anew, if you like', 30, 'Go: berth jobs wait a. Or\n  begin anew, if you like'],
    ["Go: berth get 'a. b c d e f'. Or not", 20, "Go:\n  berth get 'a. b c d e f'.\n  Or not"],
    ['  -> Go on with: berth jobs wait a', 20, '  -> Go on with:\n    berth jobs wait a'],
    ['what berth says of itself is broken', 20, 'what berth says of\n  itself is broken'],
  ])('%j in %s columns', (text, columns, lines) => {
    expect(wrapMessage(safeText(text, true), columns)).toBe(lines);
  });

  test('an error is wrapped on a terminal and nowhere else', async () => {
    const failure = usage('a message of several words', 'and a hint of more than several words');
    const [narrow, piped] = [screen({ tty: true, columns: 24 }), screen()];
    await renderFailure(failure, 'text', narrow);
    await renderFailure(failure, 'text', piped);
    expect(narrow.err()).toBe(
      'error: a message of\n  several words\n  -> and a hint of more\n    than several words\n',
    );
    expect(piped.err()).toBe('error: a message of several words\n  -> and a hint of more than several words\n');
  });
});
