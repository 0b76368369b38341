import { flagsHelp, HELP_TOPICS, pageOf, rows, text, type TopicName } from '../../cli/help.ts';
import type { GlobalFlag } from '../../cli/model/global-flags.ts';
import { EXIT_CODES } from '../../core/exit-codes.ts';
import { OUTPUT_FORMATS } from '../../core/settings.ts';
import { FORMAT_TABLE } from '../../output/formats/format-table.ts';
import type { Page } from '../../output/view.ts';
import { OTHER_VARIABLES, type Setting, SETTINGS } from '../../settings/settings-table.ts';

const selectors = (): Page =>
  pageOf([
    text(
      'Selectors filter lists. Commands that accept several ids accept selectors in place of them. A resource must match all selectors; where a selector has several values, it must match one of them.',
    ),
    rows('Selectors', [
      ['--match GLOB', "by name: --match 'train-*' (quote it for the shell)"],
      ['--status A,B', 'by status, where there is one'],
      ['--older-than TIME', "by age (90m, 3d), by the service's clock"],
      ['--all', 'all resources of the list'],
    ]),
    rows('Patterns', [
      ['*', 'any text, with slashes too'],
      ['?', 'one character'],
      ['[abc], {web,api}', 'one of these characters; one of these words'],
      ["'!web-*'", 'every name that does not match'],
      ['\\*', 'a star itself'],
    ]),
    rows('What happens', [
      ['list', 'is read once; the command acts by id on what it has shown'],
      ['left out', 'resources in a state that does not allow it, locked ones, volumes in use'],
      ['question', 'shows the list first, with what it saves an hour, and asks y/N; --yes skips it'],
      ['--dry-run', 'reads the list, prints the requests, sends none of them'],
      ['no match', 'a line on stderr, and exit code 0'],
      ['--force', 'includes locked pods and volumes in use; only of terminate and delete'],
      ['data loss', 'of volumes and persistent mounts: type the name, or "3 volumes", in place of y'],
    ]),
    rows('Several results', [
      ['--json', '[{"id","ok","error"?}, ...]: always one for each resource'],
      ['-o id', 'the ids of those that succeeded'],
      ['exit code', 'the worst: 130, 8, 1, 14, 3, 7, 6, 5, 15, 4, 2, 13, 10, 12, 11, 9, 0'],
    ]),
    {
      kind: 'examples',
      title: 'Examples',
      rows: [
        ["berth pods list --match 'train-*' --sort -cost", 'the most expensive first'],
        ["berth pods stop --match 'train-*' --older-than 1d", 'shows them and asks'],
        ['berth pods terminate --status EXITED --dry-run', 'what would be sent'],
        ['berth pods stop --all --yes --json', 'in a script'],
      ],
    },
  ]);

const profiles = (): Page =>
  pageOf([
    text(
      'A profile is a set of addresses with the key for them, and settings such as the output format. The key of a profile is sent only to the addresses of that profile.',
    ),
    rows('Working with profiles', [
      ['berth auth login --profile NAME', 'create a profile, and use it from now on'],
      ['berth auth list', 'the profiles; a mark shows the one in use'],
      ['berth auth switch NAME', 'use another one from now on'],
      ['--profile NAME, BERTH_PROFILE', 'use another one once, or in this shell'],
      ['berth config set NAME VALUE', 'keep a setting in the profile in use'],
      ['berth config list', 'each setting, and where its value comes from'],
    ]),
    text(
      'With --profile, the key and the addresses of that profile replace those of the environment. If a key in the environment could belong to other addresses, berth refuses and says which variable to remove.\nThe profiles are in one file with mode 0600, in ~/.config/berth or BERTH_CONFIG_DIR. A key is never printed; `berth auth status` shows its last four characters.\nThe name "local" is not a profile of your own: it is the local service (`berth help local-service`).',
    ),
  ]);

const localService = (): Page =>
  pageOf([
    text(
      'The local service answers all commands as the real service does, and needs no account. Its state is in the data directory, so the next command continues with it.',
    ),
    rows('Three ways to use it', [
      ['berth --local NOUN VERB', 'in this process; BERTH_LOCAL=1 does the same'],
      ['berth local exec -- COMMAND', 'over HTTP for one command, which finds it in its environment'],
      ['berth local serve', 'over HTTP until Ctrl-C, for other programs'],
    ]),
    rows('What it contains', [
      ['endpoints', 'echo, demo, sleep, fail and stream, with built-in workers that run jobs'],
      ['--endpoint NAME=FILE', 'with serve and exec: an endpoint that runs your own module'],
      ['berth local clock advance 31m', 'move its clock; expiry, retention and rate windows follow it'],
      ['berth local fault add KIND', 'inject errors, rate limits, slow and lost answers'],
      ['berth local status', 'its state, its clock and its faults'],
      ['berth local reset', 'start over with the seeded account'],
    ]),
    text('Webhooks and handlers of your own need serve or exec: with --local, nothing runs between two commands.'),
  ]);

const batches = (): Page =>
  pageOf([
    text(
      'A batch runs one job for each line of a file and writes one line of results for each of them. It can be continued after Ctrl-C, a crash or a lost connection, and it respects the limits of the service.',
    ),
    rows('Commands', [
      ['berth jobs batch run', 'start: --input items.jsonl --out results.jsonl'],
      ['berth jobs batch resume', 'continue after any interruption; submitted jobs are not sent again'],
      ['berth jobs batch status', 'progress, from the files only; sends nothing'],
      ['berth jobs batch report', 'times, cost, and failures by pattern; --html writes a page'],
      ['berth jobs batch export', 'the results as CSV, JSON or JSON lines; --join-input adds the inputs'],
    ]),
    rows('Files', [
      ['items.jsonl, items.csv', 'an item on each line, or in each row below a header'],
      ['results.jsonl', 'one line for each item that ended, in the order they end'],
      ['results.jsonl.journal', 'what was submitted; keep it beside the results until the end'],
    ]),
    text(
      'The exit code is 0 when every job completed, 13 when some did not, and 9 when the time of --max-time was over. A job whose submission got no answer is not sent again unless you ask for it, because it may have run.',
    ),
  ]);

const time = (): Page =>
  pageOf([
    rows('How a time is written', [
      ['90s, 5m, 1h30m, 2d', 'a span; a number alone has the unit that the flag names'],
      ['2026-01-31', 'a date, UTC'],
      ['2026-01-31T12:00:00Z', 'a moment (RFC 3339)'],
      ['10m', 'where a moment is expected: 10 minutes ago'],
    ]),
    rows('How long a command waits', [
      ['--timeout', 'one exchange with the service (default 30s)'],
      [
        '--wait-timeout',
        'the whole wait of --wait and wait (default 10m); then exit code 9, and the command that continues',
      ],
      ['--retries', 'how often a request is repeated, where that is safe (default 3)'],
    ]),
    rows('How long a job and its result exist', [
      ['--ttl', 'in the queue and running, together (default 24h)'],
      ['--execution-timeout', 'running (default: that of its endpoint, which is 5m for a new one)'],
      ['result of jobs run', '30 minutes after its end'],
      ['result of jobs run --sync', '1 minute after its end, and up to 5 with a larger --sync-wait'],
    ]),
    text(
      'Ages are shown by the clock of the service, so a wrong clock of this machine does not change them. The local service has a clock of its own: `berth local clock advance 31m`.',
    ),
  ]);

const prices = (): Page =>
  pageOf([
    rows('What costs money, in US dollars', [
      [
        'pods',
        'by the hour from start to stop: `berth pods list` shows the price; besides it their container disk, at a price that is not published',
      ],
      [
        'stopped pods',
        'nothing by the hour, but for a persistent mount: until the pod is terminated, at a price that is not published',
      ],
      ['endpoints', 'workers by the second while they run; none at zero workers'],
      ['volumes', 'by the GB and month until they are deleted, used or not'],
    ]),
    rows('Before you start something', [
      ['berth catalog gpus', 'prices of GPU types; --available only those that you can get now'],
      ['berth catalog cpus', 'prices of CPU flavors'],
      ['berth pods create --dry-run', 'the request, without sending it; --json for its JSON'],
    ]),
    rows('Afterwards', [
      ['berth billing summary --last 7', 'what was spent, day by day'],
      ['berth billing summary --by pod', 'on each pod, day by day'],
      ['berth pods list --older-than 3d', 'pods that were created more than 3 days ago'],
    ]),
    text('Tables show the current prices of the service. `berth billing` shows what is billed.'),
  ]);

const exitCodes = (): Page =>
  pageOf([
    rows(
      'Exit codes',
      EXIT_CODES.map(({ code, meaning }) => [String(code).padStart(3), meaning]),
    ),
    text(
      'Codes 8 to 13 and 15 come from the commands whose help names them, 9 to 12 from those that wait (--wait, wait, --stream, --sync). `status`, `get` and `explain` end with 0 when the service answered; with --exit-status they end with the outcome.',
    ),
    text(
      'After 8, look before you repeat. pods create --idempotency-key WORD looks by itself: 8 is then rare, and the same command run again creates no second pod.',
    ),
  ]);

const output = (): Page =>
  pageOf([
    text('stdout contains only data. Messages and errors go to stderr.'),
    rows(
      'Formats (-o)',
      OUTPUT_FORMATS.map((name) => [name, FORMAT_TABLE[name].summary]),
    ),
    rows('Choosing', [
      ['--fields id,runtime.gpus', 'only these members, in any format'],
      ['--jq .runtime.uptime', 'filter the JSON with jq, built in'],
      ['--jq .name --raw', 'the same, text without its quotes'],
      ['-o id', 'only the id, for a variable: volume=$(berth volumes create ... -o id)'],
    ]),
    rows('Colour', [
      ['NO_COLOR, --no-color', 'never'],
      ['FORCE_COLOR', 'always, also in a pipe'],
      ['TERM=dumb, CI', 'no spinners, no views that redraw'],
    ]),
    text('An error is one block on stderr. With --json it is one JSON object, the last line of stderr:'),
    { kind: 'literal', text: '  {"error":{"code":"not-found","message":"...",\n    "hint":"...","status":404}}' },
  ]);

const environment = (): Page =>
  pageOf([
    text(
      'A setting comes from its flag, else its variable, else the profile, else its default. `berth config list` shows each value and where it came from.',
    ),
    rows(
      'Variables',
      SETTINGS.flatMap((setting: Setting) =>
        setting.variable === undefined ? [] : [[setting.variable, described(setting)] as const],
      ),
    ),
    rows(
      'berth also reads',
      OTHER_VARIABLES.map(({ variable, summary }) => [variable, summary]),
    ),
  ]);

const described = (setting: Setting): string =>
  setting.summary +
  (setting.flag === undefined ? '' : ` (${setting.flag})`) +
  (setting.default === undefined ? '' : ` (default ${setting.default})`);

export function topicPage(name: string, flags: readonly GlobalFlag[]): Page | undefined {
  const pages: Readonly<Record<TopicName, () => Page>> = {
    flags: () => flagsHelp(flags),
    'exit-codes': exitCodes,
    environment,
    output,
    selectors: selectors,
    profiles: profiles,
    'local-service': localService,
    batches: batches,
    time: time,
    prices: prices,
  };
  return isTopic(name) ? pages[name]() : undefined;
}

const isTopic = (name: string): name is TopicName => HELP_TOPICS.some(([topic]) => topic === name);
