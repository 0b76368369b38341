import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { folderWithKey, hasSsh, LAB, sshTest } from './pods-support.ts';
import { berthPath, runProgram } from './support.ts';
import { hasTerminal, programInTerminal } from './terminal.ts';
import { localExec, serveLocal, until, type Folder } from './workers/support.ts';

const hasGit = spawnSync('git', ['--version']).error === undefined;
const devTest = test.skipIf(!hasSsh || !hasTerminal || !hasGit || process.platform === 'win32');

/** What git would add of a folder: the digest of each file by its path. */
function sourceOf(folder: string): Readonly<Record<string, string>> {
  const { stdout } = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 10_000_000,
  });
  return digestsOf(
    folder,
    stdout.split('\0').filter((name) => name !== '' && existsSync(path.join(folder, name))),
  );
}

const digestsOf = (folder: string, names: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    names.toSorted().map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(path.join(folder, name)))
        .digest('hex'),
    ]),
  );

/** What is in a folder of a pod, without the list of berth and what is under way. */
function podOf(folder: string): Readonly<Record<string, string>> {
  try {
    const names = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.startsWith('.berth-'))
      .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
    return digestsOf(folder, names);
  } catch {
    // A file went away while it was read.
    return {};
  }
}

/** Serves a local service with a pod that can be entered. */
async function withLab(folder: Folder) {
  const { url, key } = await serveLocal(folder, ['--state', folder.at('state.json')]);
  const env = {
    ...folder.env,
    ...{ BERTH_BASE_URL: url, BERTH_QUEUE_URL: url, BERTH_REST_URL: url, BERTH_API_KEY: key },
  };
  const run = async (...argv: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await runProgram(berthPath(), argv, { env, cwd: folder.path });
    if (code !== 0) throw new Error(`berth ${argv.join(' ')}: ${stderr}`);
    return stdout.trim();
  };
  await runProgram('sh', ['-e', '-c', LAB], { env, cwd: folder.path });
  const id = await run('pods', 'get', 'lab', '-o', 'id');
  /** The home folder in the pod's latest start, as a folder of this machine. */
  const home = (): string => {
    const all = folder.at('state.json.pods');
    const pod = path.join(all, readdirSync(all)[0] ?? '', id);
    const starts = readdirSync(pod).filter((name) => /^\d+$/.test(name));
    return path.join(pod, starts.toSorted().at(-1) ?? '', 'root');
  };
  return { env, run, home };
}

devTest(
  'pods dev keeps the folder of the pod like the one here, and runs the command again after each change',
  async () => {
    const folder = await folderWithKey();
    const here = folder.at('app');
    const write = (name: string, text: string): void => {
      mkdirSync(path.dirname(path.join(here, name)), { recursive: true });
      writeFileSync(path.join(here, name), text);
    };
    write('main.txt', 'one');
    write('a.txt', 'a');
    write('c.txt', 'c');
    write('deep/er/file with spaces.txt', 'x');
    write('deep/.gitignore', '*.tmp\n!keep.tmp\n');
    write('deep/left.tmp', 'left out');
    write('deep/keep.tmp', 'kept');
    write('node_modules/large/index.js', 'left out');
    write('.gitignore', 'node_modules/\n');
    spawnSync('git', ['init', '-q', here]);
    const { env, run, home } = await withLab(folder);
    let there = path.join(home(), 'app');
    const same = (...alsoThere: readonly string[]): Promise<void> =>
      until(() => {
        const pod = Object.entries(podOf(there)).filter(([name]) => !alsoThere.includes(name));
        return JSON.stringify(Object.fromEntries(pod)) === JSON.stringify(sourceOf(here));
      });
    const terminal = await programInTerminal(
      { columns: 150, rows: 50 },
      [
        berthPath(),
        'pods',
        'dev',
        'lab',
        '--path',
        here,
        '--',
        'sh',
        '-c',
        'echo "runs $(cat main.txt)"; echo made > made-there.txt; exec sleep 1000',
      ],
      env,
    );
    const shown = (form: RegExp): Promise<void> => until(() => form.test(terminal.printed()));
    await shown(/runs one/);
    expect(terminal.printed()).toMatch(/Sending 7 files of 7 \(\d+ B\) to lab:app\./);
    const own = ['made-there.txt'];
    await same(...own);

    write('main.txt', 'two');
    await shown(/Restarting: main\.txt changed\.[^]*runs two/);
    await same(...own);

    renameSync(path.join(here, 'a.txt'), path.join(here, 'b.txt'));
    await shown(/Restarting: b\.txt changed, and 1 other file/);
    await same(...own);

    rmSync(path.join(here, 'c.txt'));
    await shown(/Restarting: c\.txt changed\./);
    await same(...own);
    // A folder takes the place of a file, and the other way round.
    rmSync(path.join(here, 'b.txt'));
    write('b.txt/in.txt', 'in');
    rmSync(path.join(here, 'deep/er'), { recursive: true });
    write('deep/er', 'a file');
    await same(...own);

    for (let at = 0; at < 1000; at += 1) write(`burst/${String(at % 10)}/${String(at)}.txt`, `content ${String(at)}`);
    await same(...own);
    expect(existsSync(path.join(there, 'made-there.txt'))).toBe(true);

    write('large.bin', 'x'.repeat(2_000_000));
    for (let part = 0; part < 40; part += 1) {
      appendFileSync(path.join(here, 'large.bin'), String(part).repeat(100_000));
      await pause(25);
    }
    await same(...own);

    write('.gitignore', 'node_modules/\nburst/\n');
    await same(...own);
    await until(() => !existsSync(path.join(there, 'burst')));
    write('.gitignore', 'burst/\n');
    await same(...own);
    expect(existsSync(path.join(there, 'node_modules/large/index.js'))).toBe(true);
    expect(terminal.printed()).not.toMatch(/Connecting again|Terminated/);

    const before = terminal.printed().length;
    await run('pods', 'restart', 'lab', '--yes', '--wait');
    await run('pods', 'exec', 'lab', '--', 'pwd');
    there = path.join(home(), 'app');
    await until(() => /no record of what berth put there[^]*runs two/.test(terminal.printed().slice(before)));
    await same(...own);
    write('main.txt', 'three');
    await until(() => terminal.printed().includes('runs three'));
    await same(...own);

    terminal.press('C-c');
    await terminal.waitFor(/Stop lab\? That wipes its container disk\. It costs \$0\.69 an hour while it runs\./);
    terminal.type('y');
    terminal.press('Enter');
    await terminal.waitFor('ended 130');
    await run('pods', 'wait', 'lab', '--for', 'EXITED');
  },
);

sshTest(
  'pods dev ends when the folder here is gone, and removes nothing in the pod; --no-restart only sends',
  async () => {
    const folder = await folderWithKey();
    mkdirSync(folder.at('app'));
    folder.write('app/one.txt', 'one');
    const { code, stdout, stderr } = await localExec(
      folder,
      [],
      `${LAB}
said() { until grep -q "$1" err.txt; do sleep 0.1; done; }
berth pods dev lab --path app --exclude '*.log' --no-restart -- sh -c 'echo started; exec sleep 1000' > out.txt 2> err.txt &
dev=$!
until grep -q started out.txt; do sleep 0.1; done
echo two > app/two.txt; echo log > app/out.log
said 'Sent: two.txt changed'
berth pods exec lab -- sh -c 'echo changed > app/one.txt; echo own > app/own.txt; ls app'
rm app/one.txt
said 'one.txt was changed in the pod: it stays there'
mv app gone
code=0; wait $dev || code=$?
echo "ended $code"
berth pods exec lab -- sh -c 'cat app/one.txt app/two.txt; pgrep -f "[s]leep 1000" | wc -l'
cat out.txt
`,
    );
    expect(code, stderr + folder.read('err.txt')).toBe(0);
    expect(stdout.split('\n')).toEqual([
      'one.txt',
      'own.txt',
      'two.txt',
      'ended 14',
      'changed',
      'two',
      expect.stringMatching(/^\d+$/),
      'started',
      '',
    ]);
    expect(folder.read('err.txt')).toContain('Nothing was removed in the pod');
  },
);

devTest('after Ctrl-C in pods dev its command does not go on in the pod, also one that ignores SIGTERM', async () => {
  const folder = await folderWithKey();
  mkdirSync(folder.at('app'));
  folder.write('app/one.txt', 'one');
  const { env, run } = await withLab(folder);
  // The processes of local pods are seen from all of them, also from those of another run of the tests.
  const sleep = `sleep ${String(100_000 + process.pid)}`;
  const stillRunning = async (): Promise<boolean> =>
    (await run('pods', 'exec', 'lab', '--', 'sh', '-c', `pgrep -f "^${sleep}" || echo none`)) !== 'none';
  for (const command of [`echo started; exec ${sleep}`, `trap "" TERM; echo started; ${sleep}; ${sleep}`]) {
    const terminal = await programInTerminal(
      { columns: 150, rows: 50 },
      [berthPath(), 'pods', 'dev', 'lab', '--path', folder.at('app'), '--', 'sh', '-c', command],
      env,
    );
    await until(() => terminal.printed().includes('started'));
    expect(await stillRunning(), 'before Ctrl-C').toBe(true);
    terminal.press('C-c');
    await terminal.waitFor(/Stop lab\? That wipes/);
    terminal.type('n');
    terminal.press('Enter');
    await terminal.waitFor('ended 130');
    await until(async () => !(await stillRunning()));
  }
});
