import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { cleanEnvironment, runProgram, startLine } from './support.ts';

/** Runs a program in a terminal, closes it once the program has printed the text, and prints how the program ended. */
const CLOSE_TERMINAL = `
import os, pty, sys
text, *words = sys.argv[1:]
child, terminal = pty.fork()
if child == 0:
    os.execvp(words[0], words)
shown = b''
while text.encode() not in shown:
    shown += os.read(terminal, 4096)
os.close(terminal)
_, status = os.waitpid(child, 0)
print('signal %d' % os.WTERMSIG(status) if os.WIFSIGNALED(status) else 'code %d' % os.WEXITSTATUS(status))
`;

const hasPython = spawnSync('python3', ['-c', 'import pty']).status === 0;

const CASES: [what: string, args: string[], text: string][] = [
  ['a server', ['local', 'serve', '--port', '0'], 'BERTH_API_KEY'],
  ['a live view', ['--local', 'top'], 'POD'],
  ['a watch', ['--local', 'pods', 'get', 'pod-notebook', '--watch'], 'uptime'],
  ['a wait', ['--local', 'jobs', 'run', 'sleep', '--input', '{"seconds":600}', '--wait'], 'submitted'],
  ['a question', ['--local', 'pods', 'terminate', 'pod-train'], 'Continue'],
  ['a create', ['--local', 'pods', 'create'], 'Name'],
];

test.skipIf(!hasPython).each(CASES)('%s whose terminal closes ends 143, without a core file', async (_, args, text) => {
  const env = { ...(await cleanEnvironment()), TERM: 'xterm' };
  const words = ['-c', CLOSE_TERMINAL, text, ...startLine(), ...args];
  expect((await runProgram('python3', words, { env })).stdout).toBe('code 143\n');
});
