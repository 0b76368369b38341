/** What a container runs: the text `args`, or `entrypoint` and `cmd` in exec form. */
import { isDeepStrictEqual } from 'node:util';
import { usage } from '../core/failure.ts';
import {
  arrayOf,
  type Json,
  type JsonObject,
  memberAt,
  objectOf,
  stringAt,
  stringOf,
  tryDecodeJson,
} from '../core/json.ts';
import { shellWord } from '../core/message.ts';
import type { Cell } from '../output/view.ts';
import { isGiven } from './model/params.ts';
import type { BodyContext } from './resource/fields.ts';

/** Additions 2. */
const PARTS = ['entrypoint', 'cmd'] as const;
type Part = (typeof PARTS)[number];

type Command = Readonly<Record<Part, readonly string[]>>;

export const COMMAND_MEMBERS = ['args', ...PARTS] as const;

export const shellLineOf =
  (part: Part) =>
  (row: Json): Cell => {
    const args = stringAt(row, 'args') ?? '';
    const words = wordsAt(row, part) ?? jsonForm(args)?.[part];
    if (words !== undefined) return { text: words.map(shellWord).join(' ') };
    return { text: part === 'cmd' ? args : '' };
  };

/** A missing array is what `args` says. */
async function commandOf(document: Json): Promise<Command> {
  const said = await decodeArgs(stringAt(document, 'args') ?? '');
  return {
    entrypoint: wordsAt(document, 'entrypoint') ?? said.entrypoint,
    cmd: wordsAt(document, 'cmd') ?? said.cmd,
  };
}

/** Differences in spelling do not count. */
export async function changedCommand(row: Json, body: JsonObject): Promise<readonly string[]> {
  if (COMMAND_MEMBERS.every((member) => body[member] === undefined)) return [];
  const isText = body['args'] !== undefined;
  const before = await commandOf(row);
  const after = await commandOf(isText ? body : { ...before, ...body });
  const changed = PARTS.filter((part) => !isDeepStrictEqual(before[part], after[part]));
  return changed.length > 0 && isText ? ['args'] : changed;
}

/** Flags win over the file. Of a file with both forms the changed one; the service refuses forms that disagree. */
export async function settleCommand(
  body: JsonObject,
  { file, values, readRow }: Omit<BodyContext, 'ctx'>,
): Promise<JsonObject> {
  if (isGiven(values['cmd']) && isGiven(values['command'])) throw usage('use either --cmd or the words after --');
  const isNamed = (member: string): boolean => body[member] !== undefined && body[member] !== file[member];
  if (isNamed('args')) {
    if (!PARTS.some(isNamed)) return without(body, PARTS);
    throw usage('use either --args or --entrypoint, --cmd and the words after --');
  }
  const args = stringOf(body['args']);
  if (args === undefined || PARTS.every((part) => body[part] === undefined)) return body;
  if (PARTS.some(isNamed)) return without({ ...(await decodeArgs(args)), ...body }, ['args']);
  if (readRow === undefined) return body;
  const row = await readRow();
  const isKept = (member: string): boolean => isDeepStrictEqual(body[member] ?? [], memberAt(row, member) ?? []);
  return without(body, PARTS.every(isKept) ? PARTS : isKept('args') ? ['args'] : []);
}

const without = (body: JsonObject, members: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !members.includes(name)));

function wordsAt(document: Json, path: string): readonly string[] | undefined {
  const words = arrayOf(memberAt(document, path));
  return words?.every((word) => typeof word === 'string') === true ? words : undefined;
}

/** JSON form, else `cmd` split as a shell does, or at white space if a quote is not closed. */
async function decodeArgs(args: string): Promise<Command> {
  const decoded = jsonForm(args);
  if (decoded !== undefined) return decoded;
  const { split } = await import('shlex');
  try {
    return { entrypoint: [], cmd: split(args) };
  } catch {
    return { entrypoint: [], cmd: args.trim().split(/\s+/) };
  }
}

/** A JSON object with only `entrypoint` or `cmd`; undefined for another text. */
function jsonForm(args: string): Command | undefined {
  const object = objectOf(tryDecodeJson(args)) ?? {};
  const names = Object.keys(object);
  const isPart = (name: string): boolean => PARTS.some((part) => part === name) && wordsAt(object, name) !== undefined;
  if (names.length === 0 || !names.every(isPart)) return undefined;
  return { entrypoint: wordsAt(object, 'entrypoint') ?? [], cmd: wordsAt(object, 'cmd') ?? [] };
}
