import { option, type Params } from './params.ts';
import { usage } from '../../core/failure.ts';
import { OUTPUT_FORMATS, type SettingsView } from '../../core/settings.ts';
import { createIsSecret, type IsSecret } from '../../core/secret-names.ts';
import { isJsonFormat, parseFormat } from '../../output/formats/format-table.ts';
import type { OutputOptions } from '../../output/view.ts';

export type GlobalValues = Readonly<Record<string, string | boolean | undefined>>;

/** Their values stay texts, which the settings parse. */
export const OUTPUT_FLAGS: Params = {
  output: option.choice(`how to print data: ${OUTPUT_FORMATS.join(', ')}`, OUTPUT_FORMATS, {
    short: '-o',
    metavar: 'FORMAT',
  }),
  json: option.on('the same as -o json'),
  fields: {
    ...option.text('print these members only, in any format', { metavar: 'A,B.C', complete: 'fields' }),
    commas: true,
  },
  jq: option.text('filter the JSON with a jq expression (built in)', { metavar: 'EXPR' }),
  raw: option.on('print text that --jq gives without its quotes'),
  showSecrets: option.on('show the variables that tables and CSV hide as ***'),
  help: option.on('show help for a command', { short: '-h' }),
};

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
  const text = globals['json'] === true ? 'json' : (named ?? settings.get('output'));
  const format = text === undefined ? undefined : parseFormat(text);
  if (jq !== undefined && format !== undefined && !isJsonFormat(format))
    throw usage(`--jq filters JSON; it cannot print ${format}`, 'Leave -o out, or use -o json or -o jsonl.');
  const fields = typeof globals['fields'] === 'string' ? wordsOf(globals['fields']) : undefined;
  if (fields?.length === 0) throw usage('--fields is empty', 'Write --fields id,runtime.gpus.');
  // Made where a variable is printed.
  let known: IsSecret | undefined;
  const isSecret: IsSecret = (name, value) =>
    (known ??= createIsSecret(wordsOf(settings.get('secret-names') ?? '')))(name, value);
  return { format, fields, jq, raw, isSecret: globals['showSecrets'] === true ? undefined : isSecret };
}

/** What is between commas, without the white space around it. */
const wordsOf = (text: string): readonly string[] => text.match(/[^\s,](?:[^,]*[^\s,])?/g) ?? [];

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
