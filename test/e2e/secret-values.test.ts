import { createHash } from 'node:crypto';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, lstatSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { berthPath, temporaryFolder, type Environment } from './support.ts';
import { hasTerminal, programInTerminal } from './terminal.ts';
import { folderWith, serveLocal } from './workers/support.ts';

/** In each value, and in nothing else. A part of it is no marker: values have quotes and line ends. */
const MARKER = 'marker-7f3a9c51';
const VALUE = `${MARKER} with "quotes"\nand a line`;
/** Longer than the texts that the state file has in itself. */
const LONG_VALUE = MARKER.repeat(2000);

/** The command lines of all processes that this user can see, where the system has them. */
const commandLines = (): string =>
  readdirSync(existsSync('/proc/self') ? '/proc' : '/nowhere')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      } catch {
        return '';
      }
    })
    .join('\n');

interface Seen {
  readonly code: number | null;
  readonly output: string;
  /** Of the processes of the machine while it ran. */
  readonly commandLines: string;
}

/** Runs berth, with a value on its standard input where one is given. */
async function run(args: readonly string[], env: Environment, input = ''): Promise<Seen> {
  const child = spawn(berthPath(), args, { env, stdio: 'pipe' });
  const seen = { output: '', commandLines: '' };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (seen.output += text));
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  let code: number | null | undefined;
  child.on('close', (ended) => (code = ended));
  while (code === undefined) {
    seen.commandLines += commandLines();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return { code, ...seen };
}

/** The files below a folder that have the marker. */
const filesWithMarker = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((file) => lstatSync(file).isFile() && readFileSync(file).includes(MARKER));

interface Case {
  readonly argv: readonly string[];
  readonly code: number;
  readonly stdin?: string;
  readonly env?: Environment;
}

/** Runs in this order, against one service. */
const cases = (file: string): readonly Case[] => {
  const create = ['secrets', 'create', '--value-stdin', '--name'];
  const change = ['secrets', 'update', 'from-stdin', '--value-stdin'];
  return [
    { argv: [...create, 'from-stdin'], code: 0, stdin: VALUE },
    { argv: ['secrets', 'create', '--name', 'from-file', '--value-file', file, '--verbose'], code: 0 },
    { argv: [...create, 'verbose', '--verbose', '--json'], code: 0, stdin: LONG_VALUE },
    { argv: [...create, 'planned', '--dry-run', '--verbose'], code: 0, stdin: VALUE },
    { argv: [...change, '--verbose'], code: 0, stdin: `${VALUE} again` },
    { argv: [...change, '--dry-run'], code: 0, stdin: VALUE },
    { argv: [...create, 'from-stdin', '--verbose'], code: 5, stdin: VALUE },
    { argv: [...create, '1-is-no-name', '--json'], code: 5, stdin: VALUE },
    { argv: ['secrets', 'update', 'nothing', '--value-stdin', '--verbose'], code: 4, stdin: VALUE },
    {
      argv: [...create, 'unreachable', '--verbose', '--retries', '1'],
      code: 7,
      stdin: VALUE,
      env: { BERTH_BASE_URL: 'https://unreachable.invalid' },
    },
    { argv: ['local', 'fault', 'add', 'accept-drop', '--count', '1', '--match', 'POST /v2/account'], code: 0 },
    { argv: [...create, 'lost', '--verbose'], code: 8, stdin: VALUE },
    {
      argv: ['local', 'fault', 'add', 'latency', '--latency', '1h', '--count', '1', '--match', 'POST /v2/account'],
      code: 0,
    },
    { argv: [...create, 'too-late', '--timeout', '1s', '--verbose'], code: 8, stdin: VALUE },
    {
      argv: ['registries', 'create', '--name', 'r', '--username', 'u', '--password-stdin', '--verbose'],
      code: 0,
      stdin: VALUE,
    },
    { argv: ['secrets', 'list', '--json', '--verbose'], code: 0 },
    { argv: ['endpoints', 'update', 'up', '--env', 'TOKEN=@secret:from-file', '--verbose'], code: 0 },
    { argv: ['endpoints', 'get', 'up', '--json'], code: 0 },
  ];
};

test('the value of a secret is in no output, no command line and no file but the state of the local service, which only its user can read and which keeps it over a restart', async () => {
  const value = path.join(await temporaryFolder(), 'value');
  writeFileSync(value, VALUE);
  const folder = await folderWith({});
  const state = folder.at('state.json');
  const flags = ['--state', state, '--endpoint', 'up=exec: printf %s "$TOKEN" | sha256sum | cut -d " " -f 1'];
  const served = await serveLocal(folder, flags);
  const env = {
    ...folder.env,
    BERTH_BASE_URL: served.url,
    BERTH_QUEUE_URL: served.url,
    BERTH_API_KEY: served.key,
    BERTH_SECRET_PREFIX: 'BERTH',
  };
  const wrong: string[] = [];
  for (const { argv, code, stdin, env: more } of cases(value)) {
    const seen = await run(argv, { ...env, ...more }, stdin);
    expect([argv.join(' '), seen.code], seen.output).toEqual([argv.join(' '), code]);
    if (seen.output.includes(MARKER)) wrong.push(`${argv.join(' ')}: in its output`);
    if (seen.commandLines.includes(MARKER)) wrong.push(`${argv.join(' ')}: in a command line`);
  }
  if (hasTerminal) {
    const history = folder.at('history');
    const shell = { ...env, HISTFILE: history, PS1: 'ready> ' };
    const terminal = await programInTerminal({ columns: 120, rows: 24 }, ['bash', '--norc', '-i'], shell);
    await terminal.waitFor('ready>');
    terminal.type(`"${berthPath()}" secrets create --name asked --verbose`);
    terminal.press('Enter');
    await terminal.waitFor('Value of the secret');
    terminal.type(MARKER);
    await terminal.waitFor(/Value of the secret.*\*/);
    const whileAsked = commandLines();
    terminal.press('Enter');
    await terminal.waitFor(/created[^]*ready>$/);
    terminal.type('exit');
    terminal.press('Enter');
    await terminal.waitFor('ended 0');
    expect(terminal.printed()).not.toContain(MARKER);
    // The search finds what is there: the command line of the process and the line that the shell keeps.
    expect(whileAsked).toContain('--name\0asked');
    expect(whileAsked).not.toContain(MARKER);
    expect(readFileSync(history, 'utf8')).toContain('secrets create --name asked');
  }
  await served.end();
  if (served.stderr().includes(MARKER)) wrong.push('in the output of the local service');
  const files = filesWithMarker(folder.path);
  expect(files).toContain(state);
  wrong.push(...files.filter((file) => !file.startsWith(state)));
  wrong.push(...files.filter((file) => (lstatSync(file).mode & 0o077) !== 0).map((file) => `${file}: open to others`));
  expect(wrong).toEqual([]);

  const again = await serveLocal(folder, flags);
  const digest = createHash('sha256').update(VALUE).digest('hex');
  const ran = await run(['jobs', 'run', 'up', '--input', '{}', '--wait', '--jq', '.output'], {
    ...env,
    BERTH_BASE_URL: again.url,
    BERTH_QUEUE_URL: again.url,
  });
  expect(ran.output).toContain(digest);
});
