/** The variables of files: `${NAME}`, which `--env-from` gives values. */
import { usage } from '../../core/failure.ts';
import { isObject, memberAt } from '../../core/json.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import type { YamlDocument } from '../../cli/resource/parse-yaml.ts';
import type { Field } from '../../cli/resource/fields.ts';
import { withVariables } from '../../fleet/variables.ts';
import { readVariableFiles } from '../../cli/container/environment.ts';
import { FILE_KINDS } from './kinds.ts';

export interface ReplacedDocument extends YamlDocument {
  /** Credentials without a value: matters only where they are sent. */
  readonly missing: readonly { readonly at: string; readonly name: string }[];
}

/** The service never shows them: an export writes `${NAME}` in their place. */
export const CREDENTIALS: readonly string[] = Object.values<Field>(FILE_KINDS.registry.table.fields).flatMap(
  ({ path, writeOnly }) => (writeOnly === true && path !== undefined ? [path] : []),
);

export const noValue = (at: string, name: string) =>
  usage(
    `${at}: no value is given for \${${name}}`,
    'Give it with --env-from FILE, or write $${' + name + '} for the text itself.',
  );

/** Usage (2) for no or several values; without a file only in `env`, elsewhere `${NAME}` is text. */
export async function replaceVariables(
  ctx: CommandContext,
  documents: readonly YamlDocument[],
  files: readonly string[],
  hidden: Set<string>,
): Promise<readonly ReplacedDocument[]> {
  const variables = await readVariableFiles(
    ctx,
    files.map((path) => ({ flag: '--env-from', path })),
  );
  return documents.map(({ value, at }) => {
    const missing: { at: string; name: string }[] = [];
    const isCredential = ([member = '', ...inner]: readonly string[]): boolean =>
      isObject(value) && memberAt(value, 'kind') === 'registry' && CREDENTIALS.includes(member) && inner.length === 0;
    const replaced = withVariables(value, variables, hidden, (path, name) => {
      if (isCredential(path)) missing.push({ at: at(path), name });
      else if (files.length > 0 || path[0] === 'env') throw noValue(at(path), name);
      return '${' + name + '}';
    });
    return { at, value: replaced, missing };
  });
}
