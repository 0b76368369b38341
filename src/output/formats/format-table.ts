import { usage } from '../../core/failure.ts';
import { OUTPUT_FORMATS, type OutputFormat } from '../../core/settings.ts';
import type { FormatPrinter, OutputOptions } from '../view.ts';

interface FormatEntry {
  /** One line for `berth help output`. */
  readonly summary: string;
  readonly table: boolean;
  /** The rows of a list are printed page by page: what comes later changes nothing in what is printed. */
  readonly byPage?: true;
  /** `--jq` accepts the format, and a failure is printed as JSON. */
  readonly json?: 'indented' | 'compact';
  /** Loads the code that prints the format: a command loads only the format it uses. */
  readonly load: () => Promise<FormatPrinter>;
}

/** Every output format. To add one: its name in `OUTPUT_FORMATS`, a row here, and a module that prints it. */
export const FORMAT_TABLE: Readonly<Record<OutputFormat, FormatEntry>> = {
  table: {
    summary: 'the most important columns; separated by tabs in a pipe',
    table: true,
    byPage: true,
    load: async () => (await import('../tables/table.ts')).tablePrinter,
  },
  wide: {
    summary: 'the table with all columns',
    table: true,
    byPage: true,
    load: async () => (await import('../tables/table.ts')).tablePrinter,
  },
  json: {
    summary: 'the document of the service with exact numbers; a list is an array (--json)',
    table: false,
    json: 'indented',
    load: async () => (await import('./json.ts')).jsonPrinter,
  },
  jsonl: {
    summary: 'one JSON document on each line',
    table: false,
    byPage: true,
    json: 'compact',
    load: async () => (await import('./json.ts')).jsonLinesPrinter,
  },
  yaml: {
    summary: 'the same document as YAML',
    table: false,
    load: async () => (await import('./yaml.ts')).yamlPrinter,
  },
  csv: {
    summary: 'one row on each line, with a header',
    table: false,
    byPage: true,
    load: async () => (await import('./csv.ts')).csvPrinter,
  },
  id: {
    summary: 'only the ids, one on each line',
    table: false,
    load: async () => (await import('./id.ts')).idPrinter,
  },
};

export const DEFAULT_FORMAT: OutputFormat = 'table';

/** Returns the format that `-o` names. Fails with usage (2), naming the choices. */
export function parseFormat(text: string): OutputFormat {
  const found = OUTPUT_FORMATS.find((format) => format === text.trim().toLowerCase());
  if (found === undefined)
    throw usage(`there is no output format ${JSON.stringify(text)}`, `Use one of ${OUTPUT_FORMATS.join(', ')}.`);
  return found;
}

export const isTableOutput = ({ format = DEFAULT_FORMAT, jq }: OutputOptions): boolean =>
  jq === undefined && FORMAT_TABLE[format].table;

/** Not tables of a terminal (widths), nor JSON, YAML and ids, whose reader would take a part for all. */
export const isPrintedByPage = ({ format = DEFAULT_FORMAT, jq }: OutputOptions, terminal: boolean): boolean =>
  jq === undefined && FORMAT_TABLE[format].byPage === true && !(terminal && FORMAT_TABLE[format].table);

export const isJsonFormat = (format: OutputFormat = DEFAULT_FORMAT): boolean => FORMAT_TABLE[format].json !== undefined;
