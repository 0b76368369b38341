import { usage } from '../../core/failure.ts';
import { OUTPUT_FORMATS, type OutputFormat } from '../../core/output-formats.ts';
import { isJsonFormat, parseFormat } from '../../output/formats/format-table.ts';
import type { OutputOptions } from '../../output/view.ts';

/** A flag that every command takes, before or after its noun. */
export interface GlobalFlag {
  /** The name its value is kept under: a setting's name, or one of the output flags below. */
  readonly name: string;
  /** `--base-url`; one that begins with `--no-` is true where it was given. */
  readonly flag: string;
  readonly short?: string;
  /** Absent for a switch. */
  readonly metavar?: string;
  readonly choices?: readonly string[];
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
  { name: 'fields', flag: '--fields', metavar: 'A,B.C', summary: 'print these members only, in any format' },
  { name: 'jq', flag: '--jq', metavar: 'EXPR', summary: 'filter the JSON with a jq expression' },
  { name: 'raw', flag: '--raw', short: '-r', summary: 'print text that --jq gives without its quotes' },
  { name: 'help', flag: '--help', short: '-h', summary: 'show help for a command' },
];

/**
 * What the output flags ask for; `fallback` is the format the settings name. Fails with usage (2).
 */
export function outputOptions(globals: GlobalValues, fallback: string | undefined): OutputOptions {
  const named = typeof globals['output'] === 'string' ? globals['output'] : undefined;
  const jq = typeof globals['jq'] === 'string' ? globals['jq'] : undefined;
  if (globals['json'] === true && named !== undefined && named !== 'json')
    throw usage(`--json and -o ${named} name two formats`, 'Keep one of them.');
  const raw = globals['raw'] === true;
  if (raw && jq === undefined)
    throw usage('--raw needs --jq', 'An id alone: -o id. Any member alone: --jq .name --raw.');
  const format = globals['json'] === true ? 'json' : formatOf(named ?? fallback);
  if (jq !== undefined && format !== undefined && !isJsonFormat(format))
    throw usage(`--jq filters JSON; it cannot print ${format}`, 'Leave -o out, or use -o json or -o jsonl.');
  const fields =
    typeof globals['fields'] === 'string'
      ? globals['fields']
          .split(',')
          .map((field) => field.trim())
          .filter((field) => field !== '')
      : undefined;
  if (fields?.length === 0) throw usage('--fields names no member', 'Write --fields id,runtime.gpus.');
  return { format, fields, jq, raw };
}

const formatOf = (text: string | undefined): OutputFormat | undefined =>
  text === undefined ? undefined : parseFormat(text);

/**
 * Whether a failure is to be printed as JSON: where the command line asks for JSON, or, with no format there, the settings
 * do. `fallback` reads the setting; where it cannot be read the failure is text.
 */
export function printsJson(globals: GlobalValues, fallback: () => string | undefined): boolean {
  if (globals['json'] === true) return true;
  try {
    const named = globals['output'] ?? fallback();
    return typeof named === 'string' && isJsonFormat(parseFormat(named));
  } catch {
    return false;
  }
}
