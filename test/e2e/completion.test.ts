import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { berth, berthPath, cleanEnvironment, serve, temporaryFolder, type Environment } from './support.ts';
import { hasTerminal, programInTerminal, type TerminalSession } from './terminal.ts';

const has = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0;

const script = (name: string): string => path.resolve('completions', name);

/** How to start each shell with the completion script, and with the prompt `ready>`. */
const SHELLS = {
  bash: async (folder: string) => {
    const file = path.join(folder, 'bashrc');
    await writeFile(
      file,
      `PS1='ready> '\nunset HISTFILE\nbind 'set bell-style none'\nsource '${script('berth.bash')}'\n`,
    );
    return ['bash', '--rcfile', file, '-i'];
  },
  zsh: async (folder: string) => {
    const lines = ["PS1='ready> '", 'autoload -Uz compinit', 'compinit -u -D', `source '${script('berth.zsh')}'`];
    await writeFile(path.join(folder, '.zshrc'), lines.join('\n'));
    return ['env', `ZDOTDIR=${folder}`, 'zsh', '-i'];
  },
  fish: () => {
    const prompt = "function fish_prompt; echo -n 'ready> '; end; function fish_greeting; end";
    return Promise.resolve(['fish', '--private', '--no-config', '-C', `${prompt}; source '${script('berth.fish')}'`]);
  },
} as const;

type Shell = keyof typeof SHELLS;
const NAMES = Object.keys(SHELLS) as Shell[];

/** A name that would act in a shell if it were not quoted. */
const HOSTILE = `ho "dq" 'sq' $(touch pwned) \`touch pwned\` ;|&<> a:b {x,y} *?[z] \\ ~ # !! %s 日本`;

const PODS = [
  { id: 'pod-alpha', name: 'first', status: 'RUNNING', cost: 4.78 },
  { id: 'pod-beta', name: HOSTILE, status: 'EXITED', cost: 0 },
  { id: 'pod-gamma', name: 'line\nfeed\u001b[31m', status: 'RUNNING', cost: 1 },
  { id: 'pod-delta', name: '--all', status: 'RUNNING', cost: 1 },
];

interface Service {
  readonly env: Environment;
  /** The paths of the requests, decoded. */
  readonly seen: string[];
}

/** A service with pods. `answer` sends an answer when it likes to. */
async function service(
  answer: (send: () => void) => void = (send) => {
    send();
  },
): Promise<Service> {
  const seen: string[] = [];
  const url = await serve((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    seen.push(decodeURIComponent(pathname));
    answer(() => {
      const isList = pathname === '/v2/pods';
      response
        .writeHead(isList ? 200 : 404, { 'content-type': 'application/json' })
        .end(JSON.stringify(isList ? { pods: PODS } : { title: 'Not Found', status: 404 }));
    });
  });
  return { env: { BERTH_BASE_URL: url, BERTH_API_KEY: 'key-of-a-test-0001' }, seen };
}

interface Opened extends TerminalSession {
  readonly folder: string;
  readonly env: Environment;
}

/** Opens a shell in an empty folder, whose path has a space and an apostrophe. */
async function open(shell: Shell, extra: Environment = {}): Promise<Opened> {
  const folder = path.join(await temporaryFolder(), "it's a folder");
  await mkdir(folder);
  const clean = await cleanEnvironment();
  const env = { ...clean, PATH: `${path.dirname(berthPath())}${path.delimiter}${clean['PATH'] ?? ''}`, ...extra };
  const words = ['env', '-C', folder, ...(await SHELLS[shell](folder))];
  const terminal = await programInTerminal({ columns: 200, rows: 40 }, words, env);
  await terminal.waitFor('ready>');
  return { ...terminal, folder, env };
}

/** Types a line and presses Tab. */
function complete(terminal: TerminalSession, line: string): void {
  terminal.type(line);
  terminal.press('Tab');
}

/** What is typed before Tab, and what the line ends with afterwards. */
const LINES = [
  ['berth clu', 'berth clusters'],
  ['berth -o json registries delegations rev', 'delegations revoke'],
  ['berth queue purge demo --prof', 'purge demo --profile'],
  // Values: choices, also after an equals sign and a comma, and settings.
  ['berth pods list --status=RUN', '--status=RUNNING'],
  ['berth pods list --status RUNNING,EX', '--status RUNNING,EXITED'],
  ['berth config set ret', 'berth config set retries'],
  ['berth jobs run demo --input @prom', '--input @prompt.json'],
  ['berth pods get fir', 'berth pods get first'],
] as const;

describe.each(NAMES)('completion in %s', (shell) => {
  const missing = !hasTerminal || !has(shell);

  // One shell for all of them: its start takes longer than a completion.
  test.skipIf(missing)(
    'completes words, files where they belong, ids and names, and makes hostile names harmless',
    async () => {
      const { env, seen } = await service();
      const terminal = await open(shell, env);
      await writeFile(path.join(terminal.folder, 'prompt.json'), '{}');
      for (const [line, then] of LINES) {
        complete(terminal, line);
        await terminal.waitFor(then);
        terminal.press('C-u');
      }
      for (const line of ['berth pods get prom', 'berth volumes create --name prom']) {
        complete(terminal, line);
        // A second completion of the same line shows that the first one has ended.
        terminal.press('C-u');
        complete(terminal, 'berth clu');
        expect(await terminal.waitFor('berth clusters')).not.toContain('prompt.json');
        terminal.press('C-u');
      }
      complete(terminal, 'berth pods get ho');
      await terminal.waitFor('日本');
      terminal.press('Enter');
      await terminal.waitFor('EXITED');
      expect(seen).toContain(`/v2/pods/${HOSTILE}`);
      expect(existsSync(path.join(terminal.folder, 'pwned'))).toBe(false);
      terminal.press('C-l');
      terminal.type('berth pods get ');
      terminal.press('Tab', 'Tab');
      const screen = await terminal.waitFor('pod-gamma');
      expect(screen).not.toMatch(/feed|--all/);
      if (shell !== 'bash') expect(screen).toMatch(/pod-alpha.*first, RUNNING, \$4\.78\/h/);
    },
  );

  test.skipIf(missing)('completes volumes, and folders of this machine', async () => {
    const terminal = await open(shell, { BERTH_LOCAL: '1' });
    await mkdir(path.join(terminal.folder, 'inputs'));
    terminal.type('berth files ls dat');
    terminal.press('Tab');
    await terminal.waitFor('ls datasets:');
    terminal.press('C-u');
    terminal.type('berth files cp inp');
    terminal.press('Tab');
    await terminal.waitFor('cp inputs/');
  });

  test.skipIf(missing)('is held back for a second at most by a service that does not answer', async () => {
    const { env, seen } = await service(() => undefined);
    const terminal = await open(shell, env);
    complete(terminal, 'berth pods get pod-al');
    await expect.poll(() => seen).toHaveLength(1);
    terminal.press('C-u');
    complete(terminal, 'berth pods res');
    await terminal.waitFor('berth pods restart');
  });
});

test('--install writes the script where the shell finds it', async () => {
  const env = await cleanEnvironment();
  const { code, stdout } = await berth(['completion', 'fish', '--install'], { env });
  expect(code).toBe(0);
  expect(stdout.trim()).toBe(path.join(env['HOME'] ?? '', '.config/fish/completions/berth.fish'));
  expect(await readFile(stdout.trim(), 'utf8')).toBe(await readFile(script('berth.fish'), 'utf8'));
});
