import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { berthPath, cleanEnvironment, temporaryFolder, type Environment } from './support.ts';

/** Tests in a terminal need tmux; where it is missing they are skipped: `test.skipIf(!hasTerminal)`. */
export const hasTerminal = spawnSync('tmux', ['-V']).status === 0;

export interface TerminalSession {
  /** What the screen shows, without the empty lines at its end; with `colours`, escape sequences for colour too. */
  screen(options?: { readonly colours?: boolean }): string;
  /** All that was printed, with its escape sequences: also what the screen showed only for a moment. */
  printed(): string;
  /** Whether the cursor is visible. */
  cursorShown(): boolean;
  /** Whether a program has the alternate screen. */
  alternateShown(): boolean;
  /** Gives the terminal another size. */
  resize(columns: number, rows: number): void;
  /** Types text as it is. */
  type(text: string): void;
  /** Presses keys by tmux's names: `Enter`, `C-c`, `Down`. */
  press(...keys: readonly string[]): void;
  /** Waits until the screen shows something. Fails with the screen when it has not changed for two minutes. */
  waitFor(shown: string | RegExp): Promise<string>;
}

/** A screen that has not changed for so long does not change any more. */
const SILENCE_MS = 120_000;

const quote = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;

interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Runs the installed berth in a terminal: see `programInTerminal`. */
export const inTerminal = (size: Size, args: readonly string[], env?: Environment): Promise<TerminalSession> =>
  programInTerminal(size, [berthPath(), ...args], env);

/**
 * Runs a program in a terminal of a given size. When it has ended the screen says `ended N`, its exit code. The terminal is
 * gone when the test is over.
 */
export async function programInTerminal(
  size: Size,
  words: readonly string[],
  env?: Environment,
): Promise<TerminalSession> {
  const folder = await temporaryFolder();
  const [socket, log] = [`${folder}/tmux`, `${folder}/printed`];
  const tmux = (...args: readonly string[]): string =>
    execFileSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], { encoding: 'utf8' });
  const variables = Object.entries({ ...(env ?? (await cleanEnvironment())), LANG: 'C.UTF-8' });
  const command = [
    // Some shells end with a program that a key ended.
    `trap : INT QUIT; tmux -S ${quote(socket)} wait-for piped; env -i TERM="$TERM"`,
    ...variables.map(([name, value]) => quote(`${name}=${value}`)),
    ...words.map(quote),
    '; printf "\\nended %s\\n" $?; exec sleep 600',
  ].join(' ');
  writeFileSync(log, '');
  tmux('-u', 'new-session', '-d', '-x', String(size.columns), '-y', String(size.rows), command);
  tmux('pipe-pane', `cat >> ${quote(log)}`);
  // Nothing is printed before, so that all is in the log.
  tmux('wait-for', '-S', 'piped');
  onTestFinished(() => {
    tmux('kill-server');
  });

  const screen: TerminalSession['screen'] = (options) =>
    tmux('capture-pane', '-p', ...(options?.colours === true ? ['-e'] : [])).trimEnd();
  return {
    screen,
    printed: () => readFileSync(log, 'utf8'),
    cursorShown: () => tmux('display-message', '-p', '#{cursor_flag}').trim() === '1',
    alternateShown: () => tmux('display-message', '-p', '#{alternate_on}').trim() === '1',
    resize: (columns, rows) => {
      tmux('resize-window', '-x', String(columns), '-y', String(rows));
    },
    type: (text) => {
      tmux('send-keys', '-l', '--', text);
    },
    press: (...keys) => {
      tmux('send-keys', ...keys);
    },
    waitFor: async (shown) => {
      let before = '';
      for (let unchanged = performance.now(); performance.now() - unchanged < SILENCE_MS;) {
        const now = screen();
        if (typeof shown === 'string' ? now.includes(shown) : shown.test(now)) return now;
        if (now !== before) unchanged = performance.now();
        before = now;
        await pause(50);
      }
      throw new Error(`the terminal never showed ${String(shown)}:\n${screen()}`);
    },
  };
}

/** An interactive shell in a terminal, on a local service of its own. `folder` is its home. */
export async function inShell(folder: string): Promise<TerminalSession> {
  const session = await inTerminal({ columns: 80, rows: 24 }, ['local', 'exec', '--', 'bash', '--norc', '-i'], {
    ...(await cleanEnvironment()),
    PS1: 'shell> ',
    HOME: folder,
  });
  await session.waitFor('shell>');
  return session;
}
