import { type Command, exitsOf, type Group, type Program, shownVerbs, visibleOptions } from './model/command.ts';
import { argumentName, flagName, namesProgram, type Param, type Params } from './model/params.ts';
import type { Context } from '../core/context.ts';
import { drawPage } from '../output/text/draw-help-page.ts';
import type { Block, Page, PageRow } from '../output/view.ts';

export type { Page };

export const HELP_TOPICS = ['flags', 'exit-codes', 'environment', 'output', 'selectors', 'time'] as const;

export type TopicName = (typeof HELP_TOPICS)[number];

/** Needs only the registry: loads no noun. */
export function rootHelp(program: Program): Page {
  const nouns = [...program.nouns.values()];
  const sections = [...new Set(nouns.map((noun) => noun.section))];
  return pageOf([
    text('berth: pods, serverless jobs and network volumes from the command line'),
    usage('berth [FLAGS] NOUN VERB [ARGUMENTS] [FLAGS]'),
    ...sections.map((section) =>
      rows(
        section,
        nouns.filter((noun) => noun.section === section).map((noun) => [noun.name, noun.summary]),
      ),
    ),
    rows('More help (add --local to try anything without an account)', [
      ['berth NOUN --help', 'its verbs; with a verb: its arguments, flags, examples'],
      ['berth help TOPIC', HELP_TOPICS.join(', ')],
    ]),
  ]);
}

export function groupHelp(path: readonly string[], group: Group): Page {
  const verbs = shownVerbs(group).map(([name, inner]): PageRow => [signature([name], inner), inner.summary]);
  return pageOf([
    text(`berth ${path.join(' ')}: ${group.summary}`),
    usage(`berth ${path.join(' ')} VERB [ARGUMENTS] [FLAGS]`),
    text(group.details),
    rows('Verbs', verbs),
    text(`See \`berth ${path.join(' ')} VERB --help\` for the flags of a verb.`),
  ]);
}

export function commandHelp(path: readonly string[], command: Command): Page {
  const args = Object.entries(command.args).map(([key, param]): PageRow => [
    argumentName(key, param),
    withChoices(param),
  ]);
  return pageOf([
    text(`berth ${path.join(' ')}: ${command.summary}`),
    usage(usageOf(path, command)),
    text(command.details),
    command.examples.length === 0 ? undefined : { kind: 'examples', title: 'Examples', rows: command.examples },
    rows('Arguments', args),
    ...flagBlocks(visibleOptions(command)),
    text(exitsText(command)),
    text('Flags of every command: `berth help flags`.'),
  ]);
}

const UNGROUPED_MOST = 15;

/** The order of groups and of the flags in them: the common ones first. */
const FLAG_GROUPS: Readonly<Record<string, string>> = {
  Container:
    'name image template port env envFrom unsetEnv replaceEnv args entrypoint cmd registry startSsh startJupyter',
  Hardware: 'gpu gpuPool excludeGpu gpuCount cpu vcpu minRamPerGpu minVcpuPerGpu cuda minCuda',
  Placement: 'cloud dataCenter pods globalNetworking maxPrice untilAvailable',
  Storage: 'disk networkVolume persistentSize mountPath',
  Deadlines: 'stopAfter terminateAfter idleTimeout executionTimeout ttl maxTime queueDelay',
  Waiting: 'wait waitTimeout startTimeout notify',
};

function flagBlocks(options: readonly (readonly [string, Param<unknown>])[]): readonly (Block | undefined)[] {
  const rowOf = ([key, param]: readonly [string, Param<unknown>]): PageRow => [
    flagSignature(flagName(key), param),
    withChoices(param) + initialText(param),
  ];
  if (options.length <= UNGROUPED_MOST) return [rows('Flags', options.map(rowOf))];
  const groups = Object.entries(FLAG_GROUPS).map(([title, keys]) => ({ title, keys: keys.split(' ') }));
  const grouped = groups.map(({ title, keys }) =>
    rows(
      title,
      keys.flatMap((key) => options.filter(([each]) => each === key).map(rowOf)),
    ),
  );
  const others = options.filter(([key]) => !groups.some(({ keys }) => keys.includes(key)));
  return [...grouped, rows('Other', others.map(rowOf))];
}

function exitsText(command: Command): string | undefined {
  const { exitsAsProgram, exits = [] } = command;
  const codes = exitsAsProgram ? exits : exitsOf(command);
  const listed = `${codes.join(', ')} (\`berth help exit-codes\`).`;
  if (!exitsAsProgram) return codes.length === 0 ? undefined : `Exit codes beyond those of every command: ${listed}`;
  return `Ends with the exit code of the program that it runs${codes.length === 0 ? '.' : `, or with ${listed}`}`;
}

export const flagsHelp = (flags: Params): Page =>
  pageOf([
    rows(
      'Flags of every command, before or after its noun',
      Object.entries(flags).map(([key, flag]): PageRow => [flagSignature(flagName(key), flag), flag.summary]),
    ),
  ]);

export const pageOf = (blocks: readonly (Block | undefined)[]): Page => blocks.filter((block) => block !== undefined);

export const rows = (title: string, all: readonly PageRow[]): Block | undefined =>
  all.length === 0 ? undefined : { kind: 'rows', title, rows: all };

export const text = (all: string | undefined): Block | undefined =>
  all === undefined ? undefined : { kind: 'text', text: all };

/** A name in brackets stays with its bracket. */
const usage = (line: string): Block => ({ kind: 'usage', words: line.split(' ') });

/** `pods get POD`, `jobs wait ENDPOINT JOB...`. */
export function signature(path: readonly string[], target: Command | Group): string {
  if (target.kind === 'group') return path.join(' ');
  const words = Object.entries(target.args)
    .filter(([, { afterDashes }]) => afterDashes !== true)
    .map(([key, param]) => {
      const name = argumentName(key, param) + (param.many ? '...' : '');
      return param.required && param.unless === undefined ? name : `[${name}]`;
    });
  return [...path, ...words].join(' ');
}

/** `berth local exec [FLAGS] COMMAND...`, `berth pods create [FLAGS] [-- COMMAND ARGS...]`. */
export function usageOf(path: readonly string[], command: Command): string {
  const flags = visibleOptions(command).length > 0 ? ['[FLAGS]'] : [];
  const words = namesProgram(command.args)
    ? [...path, ...flags, signature([], command)]
    : [signature(path, command), ...flags, ...afterDashes(command)];
  return ['berth', ...words].join(' ');
}

const afterDashes = ({ args }: Command): readonly string[] =>
  Object.entries(args).flatMap(([key, param]) => (param.afterDashes === true ? [`[${argumentName(key, param)}]`] : []));

const flagSignature = (name: string, { short, metavar }: Param<unknown>): string =>
  `${short === undefined ? '    ' : `${short}, `}${name}${metavar === undefined ? '' : ` ${metavar}`}`;

function withChoices(param: Param<unknown>): string {
  const hidden = param.choices === undefined || param.metavar === param.choices.join('|');
  return (
    param.summary +
    (hidden ? '' : ` (${(param.choices ?? []).join(', ')})`) +
    (param.required && param.kind === 'flag' ? ' (required)' : '')
  );
}

const initialText = (param: Param<unknown>): string => {
  const initial =
    param.initialText ??
    (typeof param.initial === 'string' || typeof param.initial === 'number' ? String(param.initial) : undefined);
  return initial === undefined ? '' : ` (default ${initial})`;
};

/** On stdout where it was asked for, else on stderr. */
export async function printHelpPage(
  { terminal, stdout, stderr }: Pick<Context, 'terminal' | 'stdout' | 'stderr'>,
  page: Page,
  wasRequested: boolean,
): Promise<void> {
  if (wasRequested)
    await stdout.write(await drawPage(page, { columns: terminal.columns, colour: terminal.colour.output }));
  else await stderr.write(await drawPage(page, { columns: terminal.errorColumns, colour: terminal.colour.errors }));
}
