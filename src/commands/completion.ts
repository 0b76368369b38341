import { usage } from '../core/failure.ts';
import { berth, sentence } from '../core/message.ts';
import { defineCommand } from '../cli/model/command.ts';
import type { CommandContext } from '../cli/model/context.ts';
import { BASH_SCRIPT, FISH_SCRIPT, POWERSHELL_SCRIPT, ZSH_SCRIPT } from '../cli/completion/scripts.ts';
import { arg, option } from '../cli/model/params.ts';

/** The path is below the home folder. */
type Shell = Readonly<{ script: string; path?: string; note: string }>;

const SHELLS: Readonly<Record<string, Shell>> = {
  bash: {
    script: BASH_SCRIPT,
    path: '.local/share/bash-completion/completions/berth',
    note: 'It is loaded by the bash-completion package; without it, source the file from ~/.bashrc.',
  },
  zsh: {
    script: ZSH_SCRIPT,
    path: '.zsh/completions/_berth',
    note: 'Have `fpath=(~/.zsh/completions $fpath)` before `compinit` in ~/.zshrc.',
  },
  fish: { script: FISH_SCRIPT, path: '.config/fish/completions/berth.fish', note: 'New fish shells have it.' },
  powershell: { script: POWERSHELL_SCRIPT, note: '' },
};

export const completion = defineCommand({
  summary: 'print the completion script for your shell, or install it',
  changesMachine: true,
  args: { shell: arg.text('your shell', { choices: Object.keys(SHELLS) }) },
  options: { install: option.on('write it where the shell finds it') },
  examples: [
    ['source <(berth completion bash)', 'for this shell only'],
    ['berth completion fish --install', 'for every new shell'],
  ],
  run: async (ctx, values) => {
    const shell = SHELLS[values.shell];
    if (shell === undefined) throw usage(`there is no completion for ${values.shell}`);
    return values.install ? await install(ctx, values.shell, shell) : { kind: 'text', text: shell.script };
  },
});

async function install(ctx: CommandContext, name: string, shell: Shell) {
  const home = ctx.env['HOME'] ?? ctx.env['USERPROFILE'];
  if (shell.path === undefined || home === undefined)
    throw usage(
      `${name} has no folder that completions are loaded from`,
      sentence`Add this to your profile: ${berth`completion ${name}`} | Out-String | Invoke-Expression`,
    );
  const foreign = ctx.foreignHome();
  if (foreign !== undefined)
    throw usage(
      `${foreign} is the home folder of another user, and a file of root there would keep that user out`,
      sentence`Run it as that user: ${berth`completion ${name} --install`}`,
    );
  const path = `${home}/${shell.path}`;
  await ctx.files.write(path, shell.script, { makeParents: true });
  return { kind: 'text', text: `${path}\n`, notes: [shell.note] } as const;
}
