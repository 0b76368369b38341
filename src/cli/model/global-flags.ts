import { usage } from '../../core/failure.ts';
import { OUTPUT_FORMATS, type OutputFormat, type SettingsView } from '../../core/settings.ts';
import { createIsSecret, type IsSecret } from '../../core/secret-names.ts';
import { isJsonFormat, parseFormat } from '../../output/formats/format-table.ts';
import type { OutputOptions } from '../../output/view.ts';

export interface GlobalFlag {
  readonly name: string;
  /** A flag that begins with `--no-` is true if given. */
  readonly flag: string;
  readonly short?: string;
  readonly metavar?: string;
  readonly choices?: readonly string[];
  readonly complete?: 'fields' | 'profile';
  readonly commas?: boolean;
  readonly summary: string;
}

export type GlobalValues = Readonly<Record<string, string | boolean | undefined>>;

export const OUTPUT_FLAGS: readonly GlobalFlag[] = [
  {
    name: 'output',
    flag: '--output',
    short: '-o',
    metavar: 'FORMAT',
    choices: OUTPUT_FORMATS,
    summary: `how to print data: ${OUTPUT_FORMATS.join(', ')}`,
  },
  { name: 'json', flag: '--json', summary: 'the same as -o json' },
  {
    name: 'fields',
    flag: '--fields',
    metavar: 'A,B.C',
    complete: 'fields',
    commas: true,
    summary: 'print these members only, in any format',
  },
  {
    name: 'jq',
    flag: '--jq',
    metavar: 'EXPR',
    summary: 'filter the JSON with a jq expression (built in)',
  },
  { name: 'raw', flag: '--raw', summary: 'print text that --jq gives without its quotes' },
  {
    name: 'showSecrets',
    flag: '--show-secrets',
    summary: 'show the variables that tables and CSV hide as ***',
  },
  { name: 'help', flag: '--help', short: '-h', summary: 'show help for a command' },
];

/** Fails with usage (2). */
export function outputOptions(globals: GlobalValues, settings: Pick<SettingsView, 'get'>): OutputOptions {
  const named = typeof globals['output'] === 'string' ? globals['output'] : undefined;
  const jq = typeof globals['jq'] === 'string' ? globals['jq'] : undefined;
  if (globals['json'] === true && named !== undefined && named !== 'json')
    throw usage(`--json and -o ${named} are two formats`, 'Keep one of them.');
  const raw = globals['raw'] === true;
  if (raw && jq === undefined)
    throw usage(
      '--raw needs --jq',
      'An id alone: -o id. Any member alone: --jq .name --raw. A whole folder of files: -r.',
    );
  const format = globals['json'] === true ? 'json' : optionalFormat(named ?? settings.get('output'));
  if (jq !== undefined && format !== undefined && !isJsonFormat(format))
    throw usage(`--jq filters JSON; it cannot print ${format}`, 'Leave -o out, or use -o json or -o jsonl.');
  const fields = typeof globals['fields'] === 'string' ? wordsOf(globals['fields']) : undefined;
  if (fields?.length === 0) throw usage('--fields is empty', 'Write --fields id,runtime.gpus.');
  const isSecret = globals['showSecrets'] === true ? undefined : isSecretBy(settings);
  return { format, fields, jq, raw, isSecret };
}

/** Reads `secret-names` only where a variable is printed. */
function isSecretBy(settings: Pick<SettingsView, 'get'>): IsSecret {
  let known: IsSecret | undefined;
  return (name, value) => (known ??= createIsSecret(wordsOf(settings.get('secret-names') ?? '')))(name, value);
}

const wordsOf = (text: string): readonly string[] =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');

const optionalFormat = (text: string | undefined): OutputFormat | undefined =>
  text === undefined ? undefined : parseFormat(text);

/** `fallback` reads the setting; if that fails, the failure is printed as text. */
export function printsJson(globals: GlobalValues, fallback: () => string | undefined): boolean {
  if (globals['json'] === true) return true;
  try {
    const named = globals['output'] ?? fallback();
    return typeof named === 'string' && isJsonFormat(parseFormat(named));
  } catch {
    return false;
  }
}
