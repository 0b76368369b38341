import { copyFileSync } from 'node:fs';
import { expect } from 'vitest';
import { PAGES } from '../support/documents/pages.ts';
import { folderWithKey, sshTest } from './pods-support.ts';
import { runProgram } from './support.ts';
import { hasTerminal, programInTerminal } from './terminal.ts';
import { hasPython } from './workers/support.ts';

// The way of a new user from `pods create` to a notebook in a browser and an editor, as the guide has it.

const canWalk = hasPython && hasTerminal;
if (!canWalk) console.log('note: not run: no Python or tmux, so a notebook of a pod is not seen');

/** The blocks of the section, one for each terminal. */
function blocks(): readonly string[] {
  const page = PAGES.find(({ name }) => name.endsWith('reaching-pods.md'));
  return (page?.blocks ?? []).filter(({ text }) => text.startsWith('export BERTH_LOCAL=1')).map(({ text }) => text);
}

(canWalk ? sshTest : sshTest.skip)(
  'a new user comes from pods create to a notebook and to an editor, by the commands of the guide',
  async () => {
    const folder = await folderWithKey();
    for (const [from, to] of [
      ['key', '.ssh/id_ed25519'],
      ['key.pub', '.ssh/id_ed25519.pub'],
    ] as const)
      copyFileSync(folder.at(from), folder.at(to));
    const env = { ...folder.env, HOME: folder.path };
    const [create = '', forward = '', editor = '', end = ''] = blocks();
    const run = (text: string) => runProgram('sh', ['-e', '-c', text], { env, cwd: folder.path });

    const inTerminal = (text: string) =>
      programInTerminal({ columns: 120, rows: 50 }, ['sh', '-e', '-c', `trap : INT; cd "$HOME"\n${text}`], env);

    const notebook = await inTerminal(create);
    await notebook.waitFor(/Serving HTTP|ended/);
    expect(notebook.screen()).toContain('Serving HTTP');
    await run('export BERTH_LOCAL=1; berth pods exec lab -- sh -c "echo from the notebook > index.html"');

    const browser = await inTerminal(forward);
    await browser.waitFor(/Connected to lab|ended/);
    const [address = ''] = /127\.0\.0\.1:\d+/.exec(browser.screen()) ?? [];
    expect(await (await fetch(`http://${address}/`)).text(), browser.screen()).toContain('from the notebook');

    const { code, stdout, stderr } = await run(editor);
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('root');
    // What an editor does: a shell without a terminal, which reads from stdin.
    const opened = await run('echo "cat index.html" | ssh -T lab.berth sh');
    expect([opened.code, opened.stdout], opened.stderr).toEqual([0, 'from the notebook\n']);

    for (const each of [browser, notebook]) {
      each.press('C-c');
      await each.waitFor(/ended \d+/);
    }
    expect(await run(end)).toMatchObject({ code: 0 });
    expect((await run('export BERTH_LOCAL=1; berth pods list --match lab -o id')).stdout).toBe('');
    expect(folder.has('.ssh/config') ? folder.read('.ssh/config') : '').toBe('');
  },
);
