import { Failure, usage } from '../../core/failure.ts';
import { isObject, type JsonObject, stringOf } from '../../core/json.ts';
import { safeText } from '../../core/safe-text.ts';
import { didYouMean, withArticle } from '../../cli/words.ts';
import type { YamlDocument } from '../../cli/resource/parse-yaml.ts';
import { writable } from '../../cli/resource/request-body.ts';
import { checkBody } from '../../cli/resource/field-writes.ts';
import { checkValue, kindSchema } from './file-schema.ts';
import { acceptedPaths, FILE_KINDS, KINDS, type FileKind } from './kinds.ts';

export interface FileDocument {
  readonly kind: FileKind;
  readonly name: string;
  /** Pins one of several with the name. */
  readonly id?: string;
  readonly body: JsonObject;
  /** `FILE:3:5`. */
  readonly at: (path: readonly string[]) => string;
  /** Credentials without a value: they cannot be sent. */
  readonly missing?: readonly { readonly at: string; readonly name: string }[];
  /** Its mark is set on creation. */
  readonly set?: string;
}

/** Usage (2) with file, line and column. */
export function checkDocument({ value, at }: YamlDocument): FileDocument {
  if (!isObject(value)) throw usage(`${at([])}: a document must be an object`, 'Write one member a line: NAME: VALUE');
  const [word, name] = [stringOf(value['kind']) ?? '', stringOf(value['name']) ?? ''];
  const known = KINDS.find((each) => each === word);
  if (known === undefined)
    throw usage(
      `${at(['kind'])}: no kind ${JSON.stringify(safeText(word))}`,
      didYouMean(word, KINDS) ?? `Kinds: ${KINDS.join(', ')}`,
    );
  if (name.trim() === '') throw usage(`${at(['name'])}: ${withArticle(known)} needs a name: a text`);
  const kind = FILE_KINDS[known];
  checkValue(kindSchema(kind), value, (path, problem, hint) => {
    const member = path.filter((each) => !/^\d+$/.test(each)).join('.');
    throw usage(`${at(path)}: ${member} of ${withArticle(known)} ${problem}`, hint);
  });
  const { kind: _, ...document } = value;
  const { body } = writable(kind.adapt(document), acceptedPaths(kind), []);
  try {
    checkBody(kind.table, body);
  } catch (error) {
    throw placed(error, at([]));
  }
  const id = stringOf(value['id']);
  return { kind, name, ...(id === undefined ? {} : { id }), body, at };
}

/** Adds the place in the files. Drops a hint that begins with a flag: it is for a command line. */
export function placed(error: unknown, where: string): unknown {
  if (!(error instanceof Failure) || error.code !== 'usage') return error;
  const isOfFlags = typeof error.hint === 'string' && error.hint.startsWith('--');
  return error.with({ message: `${where}: ${error.message}`, ...(isOfFlags ? { hint: undefined } : {}) });
}
