import { spawn, spawnSync } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { hasSshd, startSshd, type Sshd } from '../support/servers/sshd.ts';
import { berthPath, cleanEnvironment, serve, type Environment } from './support.ts';
import { hasTerminal, programInTerminal } from './terminal.ts';
import { until } from './workers/support.ts';

// What signals do to `pods exec`, to its ssh, and to the command in the pod: with the client and the server of OpenSSH.

const sshdTest = test.skipIf(!hasSshd);
const terminalTest = test.skipIf(!hasSshd || !hasTerminal);

interface Pods {
  readonly env: Environment;
  readonly sshd: Sshd;
}

/** Pods of these names, all with one server of OpenSSH. */
async function pods(...names: readonly string[]): Promise<Pods> {
  const sshd = await startSshd();
  const rows = names.map((name) => ({
    ...{ id: name, name, status: 'RUNNING', startedAt: '2026-11-24T10:00:00Z', ports: ['22/tcp'] },
    ssh: { direct: { host: '127.0.0.1', port: sshd.port, username: sshd.user, command: '' }, proxy: null },
  }));
  const url = await serve((request, response) => {
    const found = rows.find(({ id }) => request.url?.endsWith(`/${id}`));
    response.setHeader('content-type', 'application/json').end(JSON.stringify(found ?? { pods: rows }));
  });
  return {
    sshd,
    env: { ...(await cleanEnvironment({ BERTH_BASE_URL: url, BERTH_API_KEY: 'key-of-a-test' })), ...sshd.env },
  };
}

/** The number of a process is printed first, so that a test finds it in the pod. */
const LINE = 'echo "pid $$."; exec sleep 1000';
const COMMAND = ['sh', '-c', LINE];

const pidsIn = (text: string): readonly number[] => [...text.matchAll(/pid (\d+)\./g)].map(([, pid]) => Number(pid));

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The processes of ssh that go to a server. */
const clientsOf = ({ port }: Sshd): readonly number[] =>
  spawnSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' })
    .stdout.split('\n')
    .filter((line) => /^ *\d+ \S*ssh /.test(line) && line.includes(` -p ${String(port)} `))
    .map((line) => Number.parseInt(line, 10));

/** Runs berth until so many commands run in pods. They are ended with the test. */
async function running({ env }: Pods, argv: readonly string[], count = 1, before: readonly string[] = []) {
  const [program = '', ...args] = [...before, berthPath(), ...argv];
  const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<number | string | null>((resolve) => {
    child.on('close', (code, signal) => {
      resolve(code ?? signal);
    });
  });
  const started = (): readonly number[] => pidsIn(stdout + stderr);
  await until(() => started().length >= count || child.exitCode !== null);
  endAtLast(started());
  return { child, ended, commands: started(), said: () => stderr, output: () => stdout };
}

const endAtLast = (pids: readonly number[]): void => {
  onTestFinished(() => {
    for (const pid of pids) if (isAlive(pid)) process.kill(pid);
  });
};

sshdTest.each([
  ['SIGINT', 130, 'interrupted'],
  ['SIGTERM', 143, 'terminated'],
  ['SIGHUP', 143, 'terminated'],
] as const)(
  '%s ends pods exec with %i and its ssh; it is said that the command in the pod may go on',
  async (signal, code, word) => {
    const all = await pods('lab');
    const { child, ended, commands, said } = await running(all, ['pods', 'exec', 'lab', '--', ...COMMAND]);
    child.kill(signal);
    expect([await ended, said()]).toEqual([code, expect.stringContaining(word)]);
    expect(said()).toContain('may still run in pod');
    expect(said()).not.toContain('ssh failed');
    await until(() => clientsOf(all.sshd).length === 0);
    // As with ssh itself: nothing tells a command without a terminal.
    expect(commands.map(isAlive)).toEqual([true]);
  },
);

sshdTest('a signal to pods exec in several pods ends all of them, each with its outcome', async () => {
  const all = await pods('one', 'two', 'three');
  const argv = ['pods', 'exec', 'one', 'two', 'three', '--json', '--', ...COMMAND];
  const { child, ended, said, output } = await running(all, argv, 3);
  child.kill('SIGINT');
  expect(await ended, said()).toBe(130);
  const rows = JSON.parse(output()) as readonly { id: string; error: { code: string } }[];
  expect(rows.map(({ id, error }) => [id, error.code])).toEqual(
    ['one', 'two', 'three'].map((id) => [id, 'interrupted']),
  );
  await until(() => clientsOf(all.sshd).length === 0);
});

sshdTest('pods exec that is killed leaves no ssh', async () => {
  const all = await pods('lab');
  const { child, ended } = await running(all, ['pods', 'exec', 'lab', '--', ...COMMAND]);
  child.kill('SIGKILL');
  await ended;
  await until(() => clientsOf(all.sshd).length === 0);
});

sshdTest('pods exec below nohup goes on when its terminal is closed', async () => {
  const all = await pods('lab');
  const command = ['sh', '-c', 'echo "pid $$."; read -r line; echo "read $line"'];
  const { child, ended, output } = await running(all, ['pods', 'exec', 'lab', '--', ...command], 1, [
    ...['setsid', 'bash', '-c', 'trap : HUP; nohup "$@"; exit $?', 'bash'],
  ]);
  // To all processes of the group, as the kernel does.
  process.kill(-(child.pid ?? 0), 'SIGHUP');
  child.stdin.end('on\n');
  expect([await ended, output()]).toEqual([0, expect.stringContaining('read on')]);
});

const SIZE = { columns: 150, rows: 40 };

/** A shell that says whether the terminal is as before, and with which code berth ended. */
const inShell = (...argv: readonly string[]): readonly string[] => [
  'sh',
  '-c',
  'before=$(stty -g); trap : INT; "$@"; code=$?; test "$before" = "$(stty -g)" && echo "same terminal, code $code"',
  'sh',
  berthPath(),
  ...argv,
];

terminalTest('Ctrl-C at pods exec ends it with 130, and the terminal is as before', async () => {
  const all = await pods('lab');
  const terminal = await programInTerminal(SIZE, inShell('pods', 'exec', 'lab', '--', ...COMMAND), all.env);
  await terminal.waitFor(/pid \d+\./);
  endAtLast(pidsIn(terminal.printed()));
  terminal.press('C-c');
  expect(await terminal.waitFor('same terminal, code 130')).toContain('may still run in pod');
  await until(() => clientsOf(all.sshd).length === 0);
});

terminalTest('with -t, Ctrl-C goes to the command in the pod, whose exit code is that of pods exec', async () => {
  const all = await pods('lab');
  const terminal = await programInTerminal(SIZE, inShell('pods', 'exec', 'lab', '-t', '--', ...COMMAND), all.env);
  await terminal.waitFor(/pid \d+\./);
  const [pid = 0] = pidsIn(terminal.printed());
  terminal.press('C-c');
  expect(await terminal.waitFor('same terminal, code 130')).not.toContain('may still run in pod');
  await until(() => !isAlive(pid));
});

terminalTest('with -t, a signal to berth ends the command in the pod too, and the terminal is as before', async () => {
  const all = await pods('lab');
  const terminal = await programInTerminal(SIZE, inShell('pods', 'exec', 'lab', '-t', '--', ...COMMAND), all.env);
  await terminal.waitFor(/pid \d+\./);
  const [pid = 0] = pidsIn(terminal.printed());
  const [ssh = 0] = clientsOf(all.sshd);
  process.kill(Number(spawnSync('ps', ['-o', 'ppid=', '-p', String(ssh)], { encoding: 'utf8' }).stdout));
  await terminal.waitFor('same terminal, code 143');
  await until(() => !isAlive(pid));
});
