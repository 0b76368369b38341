/** What a container runs: the text `args`, and `entrypoint` and `cmd` in exec form (additions 2). */
import { usage } from '../../../core/failure.ts';
import {
  arrayOf,
  memberAt,
  objectOf,
  stringAt,
  stringOf,
  tryDecodeJson,
  type Json,
  type JsonObject,
} from '../../../core/json.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { isGiven } from '../../../cli/model/params.ts';
import type { FieldSettling } from '../../../cli/resource/fields/fields.ts';
import { shellLine, shellLines } from '../../../core/shell-word.ts';
import type { Cell } from '../../../output/view.ts';

/** The two parts of a command in exec form. */
const PARTS = ['entrypoint', 'cmd'] as const;
type Part = (typeof PARTS)[number];

type Command = Readonly<Record<Part, readonly string[]>>;

/** The members that set a command. */
export const COMMAND_MEMBERS = ['args', ...PARTS] as const;

/** Characters of a line of a command in a detail view, which is laid out for terminals of 80 columns. */
const LINE_COLUMNS = 56;

/** A part of a row's command as one shell line; in the detail view of a terminal on several, which can be pasted too. Text in `args` of an older service is such a line already. */
export const shellLineOf =
  (part: Part) =>
  (row: Json): Cell => {
    const args = stringAt(row, 'args') ?? '';
    const words = wordsAt(row, part) ?? jsonForm(args)?.[part];
    if (words !== undefined) return { text: shellLine(words), long: shellLines(words, LINE_COLUMNS) };
    return { text: part === 'cmd' ? args : '' };
  };

/** Says a part of a body's command as one shell line in a dry run, which prints the array. */
export const tellShellLine =
  (part: Part) =>
  async (ctx: CommandContext, value: Json | undefined): Promise<undefined> => {
    const words = value === undefined ? undefined : wordsAt({ [part]: value }, part);
    if (ctx.dryRun && words !== undefined && words.length > 0) await ctx.tell(`${part}: ${shellLine(words)}`);
  };

/** The command of a row or a body: its arrays, and what `args` says where an array is absent. */
export async function commandOf(document: Json | undefined): Promise<Command> {
  const said = await decodeArgs(stringAt(document, 'args') ?? '');
  return {
    entrypoint: wordsAt(document, 'entrypoint') ?? said.entrypoint,
    cmd: wordsAt(document, 'cmd') ?? said.cmd,
  };
}

/** The members of a body that set another command than a row has: a difference in spelling is none. */
export async function changedCommand(row: Json, body: JsonObject): Promise<readonly string[]> {
  const given = COMMAND_MEMBERS.filter((member) => body[member] !== undefined);
  if (given.length === 0) return [];
  const before = await commandOf(row);
  // Of the arrays, one that is absent is kept; `args` sets both.
  const after = body['args'] === undefined ? { ...before, ...givenParts(body) } : await commandOf(body);
  const changed = PARTS.filter((part) => !isSame(before[part], after[part]));
  return changed.length === 0 ? [] : given.includes('args') ? ['args'] : changed;
}

/**
 * A body with its command in one form: a flag or `--set` of one form takes the members of the other out of the file. Of a
 * file with both forms that disagree, the one that differs from the row of the update is meant. Fails with usage (2) where
 * that is not known, or where the command line itself has both forms.
 */
export async function settleCommand(
  body: JsonObject,
  { file, values, verb, readRow }: FieldSettling,
): Promise<JsonObject> {
  if (isGiven(values['cmd']) && isGiven(values['command']))
    throw usage('--cmd and the words after -- set the same member', 'Keep one of them.');
  const isNamed = (member: string): boolean => body[member] !== undefined && body[member] !== file[member];
  const named = COMMAND_MEMBERS.filter(isNamed);
  if (named.includes('args')) {
    if (named.length > 1)
      throw usage(
        '--args goes with none of --entrypoint, --cmd and the words after --',
        'They are two forms of one command: keep one.',
      );
    return without(body, PARTS);
  }
  const args = stringOf(body['args']);
  const given = givenParts(body);
  if (args === undefined || Object.keys(given).length === 0) return body;
  const said = await decodeArgs(args);
  if (named.length > 0) {
    const kept = PARTS.filter((part) => given[part] === undefined && said[part].length > 0);
    return { ...without(body, ['args']), ...Object.fromEntries(kept.map((part) => [part, said[part]])) };
  }
  if (PARTS.every((part) => isSame(given[part] ?? said[part], said[part]))) return body;
  if (verb === 'update') {
    if (readRow === undefined) return body;
    const row = await readRow();
    if (stringAt(row, 'args') === args) return without(body, ['args']);
    const before = await commandOf(row);
    if (PARTS.every((part) => isSame(given[part] ?? before[part], before[part]))) return without(body, PARTS);
  }
  throw usage(
    '--file: args and cmd or entrypoint do not say the same command',
    'They are two forms of one command: keep one.',
  );
}

const without = (body: JsonObject, members: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !members.includes(name)));

const givenParts = (body: JsonObject): Partial<Command> =>
  Object.fromEntries(
    PARTS.flatMap((part) => {
      const words = wordsAt(body, part);
      return words === undefined ? [] : [[part, words]];
    }),
  );

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((word, at) => word === other[at]);

/** The words of an array; undefined for what is no array of texts. */
function wordsAt(document: Json | undefined, path: string): readonly string[] | undefined {
  const words = arrayOf(memberAt(document ?? null, path));
  return words?.every((word) => typeof word === 'string') === true ? words : undefined;
}

/** A function from the text `args` to its command: the JSON form, else `cmd`, split as a shell does, or at white space where a quote is open. */
async function loadDecoder(): Promise<(args: string) => Command> {
  const { split } = await import('shlex');
  return (args) => {
    const decoded = jsonForm(args);
    if (decoded !== undefined || args.trim() === '') return { entrypoint: [], cmd: [], ...decoded };
    try {
      return { entrypoint: [], cmd: split(args) };
    } catch {
      return { entrypoint: [], cmd: args.trim().split(/\s+/) };
    }
  };
}

const decodeArgs = async (args: string): Promise<Command> => (await loadDecoder())(args);

/** A function from the text `args` to one shell line, the same for all spellings of a command. */
export async function loadCommandLine(): Promise<(args: string) => string> {
  const decode = await loadDecoder();
  return (args) => {
    const { entrypoint, cmd } = decode(args);
    return shellLine([...entrypoint, ...cmd]);
  };
}

/** The command of a text that is a JSON object with `entrypoint` or `cmd` and nothing else; undefined for another text. */
function jsonForm(args: string): Command | undefined {
  const object = args.trim().startsWith('{') ? objectOf(tryDecodeJson(args)) : undefined;
  if (object === undefined || Object.keys(object).length === 0) return undefined;
  const words = (part: Part) => (object[part] === undefined ? [] : wordsAt(object, part));
  const [entrypoint, cmd] = [words('entrypoint'), words('cmd')];
  const isKnown = Object.keys(object).every((name) => name === 'entrypoint' || name === 'cmd');
  return isKnown && entrypoint !== undefined && cmd !== undefined ? { entrypoint, cmd } : undefined;
}
