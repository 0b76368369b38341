import { describe, expect, test } from 'vitest';
import { usage } from '../../../../src/core/failure.ts';
import { berth, type Message, NO_WORDS, sentence } from '../../../../src/core/message.ts';
import { renderFailure } from '../../../../src/output/failure.ts';
import { wrapMessage } from '../../../../src/output/text/wrap-message.ts';
import { screen } from '../../../support/output/screen.ts';

describe('text for a person', () => {
  test.each<[Message, number, string]>([
    ['one two three four five six', 20, 'one two three four\n  five six'],
    ['one\n\ntwo two two two two two', 20, 'one\n\ntwo two two two two\n  two'],
    ['at https://example.com/a/long/one now', 20, 'at\n  https://example.com/a/long/one\n  now'],
    ['日本語日本語 日本語日本語', 20, '日本語日本語\n  日本語日本語'],
    ['', 20, ''],
    [sentence`Go on with: ${berth`jobs wait demo a`}`, 20, 'Go on with:\n  berth jobs wait demo a'],
    [sentence`Run ${berth`get ${'a. b c d e f'}`}. Or not`, 20, "Run\n  berth get 'a. b c d e f'.\n  Or not"],
  ])('%j in %s columns', (text, columns, lines) => {
    expect(wrapMessage(text, { accountWords: NO_WORDS }, columns)).toBe(lines);
  });

  test('an error is wrapped on a terminal and nowhere else', async () => {
    const failure = usage('a message of several words', 'and a hint of more than several words');
    const [narrow, piped] = [screen({ tty: true, columns: 24 }), screen()];
    await renderFailure(failure, 'text', narrow);
    await renderFailure(failure, 'text', piped);
    expect(narrow.err()).toBe(
      'error: a message of\n  several words\n  -> and a hint of more\n     than several words\n',
    );
    expect(piped.err()).toBe('error: a message of several words\n  -> and a hint of more than several words\n');
  });
});
