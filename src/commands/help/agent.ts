import { version } from '../../../package.json';
import { signature } from '../../cli/help.ts';
import { visibleOptions } from '../../cli/model/command.ts';
import { flagName } from '../../cli/model/params.ts';
import type { NamedCommand } from './describe.ts';
import { EXIT_CODES } from '../../core/exit-codes.ts';

const RULES = `---
name: berth
description: >-
  The command line of a GPU cloud. Use it to create, find, stop and explain GPU pods, serverless endpoints and their jobs,
  batches, network volumes and files, to see what they cost, and to rehearse all of it on a local service at no cost.
version: ${version}
---

# berth for a coding agent

The command line of a GPU cloud: pods, serverless endpoints and their jobs, network volumes.

## Rules
- Try everything on the local service first; it needs no account and costs nothing: add --local to a command. Its state
  stays until \`berth local reset\`. A test has its own with \`berth local exec -- COMMAND\`,
  of which nothing is kept.
- Add --json to every command whose output you read: stdout is data alone, messages go to stderr. An error is one JSON
  object on the last line of stderr: {"error":{"code","message","hint",...}}. Do what its hint says.
- Look at the exit code, not at the text.
- Before a write: --dry-run prints the request and changes nothing. What destroys needs --yes without a terminal.
- After exit 8 a write may have happened: run the command of the hint before you send it again.
- Where an id is expected, a unique name works too. Never put a key on a command line; use BERTH_API_KEY.
- BERTH_ACCESS=read refuses everything that writes, =write everything that destroys (exit 3). BERTH_NO_INPUT=1 never asks.
- --fields a,b.c picks members; --jq EXPR filters (built in); -o id prints ids alone.
- Durations: 90s, 5m, 1h30m. \`--wait\` ends 9 after 10m.
- Pods, clusters, endpoints with workers and volumes cost money until they are stopped or deleted.
- One command in full: \`berth help NOUN VERB --json\`. Everything: \`berth help --json\`.

## First
- \`berth pods list\`, \`pods create\`, \`pods wait\`, \`pods exec\`, \`pods stop\`, \`pods terminate\`: a machine with a GPU.
- \`berth run -- COMMAND\`: one command on a GPU; its pod is gone at the end.
- \`berth jobs run --wait\`, \`jobs batch run\`: one job of an endpoint, or a file of them.
- \`berth pods explain\`, \`jobs explain\`: why something does not work. \`berth account balance\`: what is left.
- Rehearse first: the same lines with --local.

## Exit codes
`;

const COMMANDS = `
## Commands
W writes, D destroys and needs --yes, M changes files or processes here, $ may cost money; ! after a flag: required. (all of X): the flags of X. Flags of every command are left out.
`;

const EXPLAINED = new Set(['dryRun', 'yes', 'interval', 'waitTimeout', 'notify']);

export function agentText(commands: readonly NamedCommand[]): string {
  const codes = EXIT_CODES.map(({ code, meaning }) => `${String(code)} ${meaning}`).join('; ');
  return `${RULES}${codes}.\n${COMMANDS}${commandLines(commands).join('\n')}\n`;
}

/** From this many flags on, a command names those of an earlier one instead of repeating them. */
const REPEATED = 8;

function commandLines(commands: readonly NamedCommand[]): readonly string[] {
  const earlier = new Map<string, readonly string[]>();
  return commands.map(({ path, command }) => {
    const flags = visibleOptions(command)
      .filter(([key]) => !EXPLAINED.has(key))
      .map(([key, { required }]) => flagName(key) + (required ? '!' : ''));
    const [same] = [...earlier].filter(
      ([, others]) => others.length >= REPEATED && others.every((flag) => flags.includes(flag)),
    );
    const shown =
      same === undefined ? flags : [`(all of ${same[0]})`, ...flags.filter((flag) => !same[1].includes(flag))];
    earlier.set(path.join(' '), flags);
    return [signature(path, command), ...marksOf(command), ...shown].join(' ');
  });
}

/** `[WD]`; nothing for a command that only reads. */
function marksOf({ writes, destroys, changesMachine, costs }: NamedCommand['command']): readonly string[] {
  const marks = [writes && 'W', destroys && 'D', changesMachine && 'M', costs && '$'].filter((mark) => mark !== false);
  return marks.length === 0 ? [] : [`[${marks.join('')}]`];
}
