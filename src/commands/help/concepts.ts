import { pageOf, rows, text } from '../../cli/help/help.ts';
import type { Page } from '../../output/page.ts';

/** The topics of `berth help` that explain a concept. */
export const selectors = (): Page =>
  pageOf([
    text(
      'Lists are filtered, and commands that take several ids can take selectors in their place. Different selectors narrow each other; several values of one of them widen it.',
    ),
    rows('Selectors', [
      ['--match GLOB', "by name: --match 'train-*' (quote it for the shell)"],
      ['--status A,B', 'by status, where there is one'],
      ['--older-than TIME', "by age (90m, 3d), by the service's clock"],
      ['--all', 'everything that the list shows'],
    ]),
    rows('Patterns', [
      ['*', 'any text, a slash too'],
      ['?', 'one character'],
      ['[abc], {web,api}', 'one of these characters, one of these words'],
      ["'!web-*'", 'every name that does not match'],
      ['\\*', 'a star itself'],
    ]),
    rows('What happens', [
      ['which', 'the list is read once; what was shown is acted on, by id'],
      ['left out', 'what cannot be done now, what is locked, volumes in use'],
      ['asked', 'the list and what it saves an hour are shown first; --yes skips this'],
      ['--dry-run', 'reads the list, prints the requests, sends none of them'],
      ['none', 'a line on stderr, and exit code 0'],
      ['--force', 'takes locked pods and volumes in use too'],
      ['names', 'where data is lost, the name (or "3 volumes") must be typed'],
    ]),
    rows('Several results', [
      ['--json', '[{"id","ok","error"?}, ...]: one for each, in every case'],
      ['-o id', 'the ids of those that went well'],
      ['exit code', 'the worst: 130, 8, 1, 14, 3, 7, 6, 5, 15, 4, 2, 13, 10, 12, 11, 9, 0'],
    ]),
    {
      kind: 'examples',
      title: 'Examples',
      rows: [
        ["berth pods list --match 'train-*' --sort -cost", 'the most expensive first'],
        ["berth pods stop --match 'train-*' --older-than 1d", 'after a look at them'],
        ['berth pods terminate --status EXITED --dry-run', 'what would be sent'],
        ['berth pods stop --all --yes --json', 'in a script'],
      ],
    },
  ]);

export const profiles = (): Page =>
  pageOf([
    text(
      'A profile is a set of addresses with the key for them, and settings such as the output format. The key of a profile is sent only to the addresses of that profile.',
    ),
    rows('Working with profiles', [
      ['berth auth login --profile NAME', 'make a profile, and use it from now on'],
      ['berth auth list', 'the profiles; a mark shows the one in use'],
      ['berth auth switch NAME', 'use another one from now on'],
      ['--profile NAME, BERTH_PROFILE', 'use another one once, or in this shell'],
      ['berth config set NAME VALUE', 'keep a setting in the profile in use'],
      ['berth config list', 'each setting, and where its value comes from'],
    ]),
    text(
      'With --profile, the key and the addresses of that profile win over those of the environment. Where a key in the environment might belong to other addresses, berth refuses and says what to drop.\nThe profiles lie in one file of mode 0600: `berth config path` prints its path. A key is never printed; `berth auth status` shows its last four characters.\nThe name "local" is not a profile of your own: it is the local service (`berth help local-service`).',
    ),
  ]);

export const localService = (): Page =>
  pageOf([
    text(
      'The local service answers every command as the real service does, without an account. It keeps its state in the data directory, so that the next command continues with it.',
    ),
    rows('Three ways to use it', [
      ['berth --local NOUN VERB', 'in this process; BERTH_LOCAL=1 does the same'],
      ['berth local exec -- COMMAND', 'over HTTP for one command, which finds it by its variables'],
      ['berth local serve', 'over HTTP until Ctrl-C, for other programs'],
    ]),
    rows('What it has', [
      ['endpoints', 'echo, demo, sleep, fail and stream: built-in workers that really run jobs'],
      ['--endpoint NAME=FILE', 'with serve and exec: an endpoint that runs your own module'],
      ['berth local clock advance 31m', 'move its time: expiry, retention and rate windows follow'],
      ['berth local fault add KIND', 'errors, rate limits, slow and lost answers, on purpose'],
      ['berth local status', 'its state, its clock and its faults'],
      ['berth local reset', 'begin again'],
    ]),
    text('Webhooks and handlers of your own need serve or exec: with --local, nothing runs between two commands.'),
  ]);

export const batches = (): Page =>
  pageOf([
    text(
      'A batch runs one job for each line of a file and writes one line of results for each of them. It survives everything: Ctrl-C, a crash, a lost connection, a service that limits the rate.',
    ),
    rows('Commands', [
      ['berth jobs batch run', 'begin: --input items.jsonl --out results.jsonl'],
      ['berth jobs batch resume', 'go on after anything; finished jobs are not run again'],
      ['berth jobs batch status', 'what has been done, without sending anything'],
      ['berth jobs batch report', 'times, cost, and failures by pattern; --html writes a page'],
      ['berth jobs batch export', 'the results as CSV, JSON or JSON lines; --join-input adds the inputs'],
    ]),
    rows('Files', [
      ['items.jsonl, items.csv', 'one item a line, or one a row below a header'],
      ['results.jsonl', 'one line for each item that ended, in the order they end'],
      ['results.jsonl.journal', 'what was submitted; keep it beside the results until the end'],
    ]),
    text(
      'The exit code is 0 when every job completed, 13 when some did not, and 15 when a limit of yours ended it. A job whose submission got no answer is not sent again unless you ask for it, because it may have run.',
    ),
  ]);

export const time = (): Page =>
  pageOf([
    rows('How a time is written', [
      ['90s, 5m, 1h30m, 2d', 'a span; a number alone has the unit that the flag names'],
      ['2026-01-31', 'a date, UTC'],
      ['2026-01-31T12:00:00Z', 'a moment (RFC 3339)'],
      ['10m', 'where a moment is asked for: so long ago'],
    ]),
    rows('How long a command waits', [
      ['--timeout', 'one exchange with the service (default 30s)'],
      [
        '--wait-timeout',
        'what --wait and wait wait for in all (default 10m); then exit code 9, and the line to go on with',
      ],
      ['--retries', 'how often a request is tried again where that is safe (default 3)'],
    ]),
    rows('How long a job lives', [
      ['--ttl', 'in the queue and in work together'],
      ['--execution-timeout', 'in work'],
      ['result of jobs run', '30 minutes after its end'],
      ['result of jobs run --sync', '1 minute after its end'],
    ]),
    text(
      'Ages are shown by the clock of the service, so a wrong clock of this machine does not change them. The local service has a clock of its own: `berth local clock advance 31m`.',
    ),
  ]);

export const prices = (): Page =>
  pageOf([
    rows('What costs money, in US dollars', [
      ['pods', 'by the hour from start to stop: `berth pods list` shows the price'],
      ['stopped pods', 'nothing by the hour'],
      ['endpoints', 'workers by the second while they run; none at zero workers'],
      ['volumes', 'by the GB and month until they are deleted, used or not'],
    ]),
    rows('Before', [
      ['berth catalog gpus', 'prices of GPU types; --available shows where they can be had'],
      ['berth catalog cpus', 'prices of CPU flavors'],
      ['berth pods create --dry-run', 'the request, without sending it'],
    ]),
    rows('After', [
      ['berth billing summary --last 7', 'what was spent, day by day'],
      ['berth billing pods --pod POD', 'on one pod'],
      ['berth pods list --older-than 3d', 'what has been running for long'],
    ]),
    text('A price in a table is the one that the service names now. What is billed is in `berth billing`.'),
  ]);
