import { expect, test } from 'vitest';
import { cleanEnvironment } from './support.ts';
import { hasTerminal, inTerminal, type TerminalSession } from './terminal.ts';

const onDumbTerminal = async (...argv: readonly string[]): Promise<TerminalSession> =>
  await inTerminal({ columns: 100, rows: 24 }, argv, await cleanEnvironment({ TERM: 'dumb' }));

test.skipIf(!hasTerminal)(
  'TERM=dumb: a question is a plain line, asked again in full after a wrong answer',
  async () => {
    const session = await onDumbTerminal('--local', 'pods', 'stop', '--match', 'train-*');
    await session.waitFor(/\(y\/N\)$/);
    session.type('perhaps');
    session.press('Enter');
    const screen = await session.waitFor(/perhaps\nAnswer y or n\n.*\(y\/N\)$/);
    const [first, , second] = screen.split('\n').slice(-3);
    expect(first).toBe(`${second ?? ''} perhaps`);
    session.type('no');
    session.press('Enter');
    await session.waitFor(/\(y\/N\) no\n[^]*ended \d/);
  },
);

test.skipIf(!hasTerminal)('TERM=dumb: a key is not shown, and Ctrl-C ends 130 in any question', async () => {
  const login = await onDumbTerminal('auth', 'login', '--base-url', 'https://api.example.com');
  await login.waitFor(/[kK]ey\S*$/);
  login.type('QZXJKVWY');
  login.press('C-c');
  expect(await login.waitFor('ended 130')).not.toContain('QZX');
  const stop = await onDumbTerminal('--local', 'pods', 'stop', '--match', 'train-*');
  await stop.waitFor(/\(y\/N\)$/);
  stop.press('C-c');
  await stop.waitFor('ended 130');
});
