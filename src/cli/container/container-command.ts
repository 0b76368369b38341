/** What a container runs: the text `args`, and `entrypoint` and `cmd` in exec form (additions 2). */

import { isGiven } from '../model/params.ts';
import type { BodyContext } from '../resource/fields.ts';
import { usage } from '../../core/failure.ts';
import {
  arrayOf,
  type Json,
  type JsonObject,
  memberAt,
  objectOf,
  stringAt,
  stringOf,
  tryDecodeJson,
} from '../../core/json.ts';
import { shellWord } from '../../core/message.ts';
import type { Cell } from '../../output/view.ts';

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

/** Falls back to `args` if an array is absent. */
async function commandOf(document: Json | undefined): Promise<Command> {
  const said = await decodeArgs(stringAt(document, 'args') ?? '');
  return {
    entrypoint: wordsAt(document, 'entrypoint') ?? said.entrypoint,
    cmd: wordsAt(document, 'cmd') ?? said.cmd,
  };
}

/** Differences in spelling do not count. */
export async function changedCommand(row: Json, body: JsonObject): Promise<readonly string[]> {
  const given = COMMAND_MEMBERS.filter((member) => body[member] !== undefined);
  if (given.length === 0) return [];
  const before = await commandOf(row);
  // An absent array is kept; `args` sets both.
  const after = body['args'] === undefined ? { ...before, ...givenParts(body) } : await commandOf(body);
  const changed = PARTS.filter((part) => !isSame(before[part], after[part]));
  return changed.length === 0 ? [] : given.includes('args') ? ['args'] : changed;
}

/** Flags win over the file; in a file with both forms, the changed one. Usage (2) if ambiguous. */
export async function settleCommand(
  body: JsonObject,
  { file, values, readRow }: Omit<BodyContext, 'ctx'>,
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
  if (readRow !== undefined) {
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

function wordsAt(document: Json | undefined, path: string): readonly string[] | undefined {
  const words = arrayOf(memberAt(document ?? null, path));
  return words?.every((word) => typeof word === 'string') === true ? words : undefined;
}

/** JSON form, else `cmd` split as a shell does, or at white space if a quote is not closed. */
async function decodeArgs(args: string): Promise<Command> {
  const decoded = jsonForm(args);
  if (decoded !== undefined || args.trim() === '') return { entrypoint: [], cmd: [], ...decoded };
  const { split } = await import('shlex');
  try {
    return { entrypoint: [], cmd: split(args) };
  } catch {
    return { entrypoint: [], cmd: args.trim().split(/\s+/) };
  }
}

/** A JSON object with only `entrypoint` or `cmd`; undefined for another text. */
function jsonForm(args: string): Command | undefined {
  const object = args.trim().startsWith('{') ? objectOf(tryDecodeJson(args)) : undefined;
  if (object === undefined || Object.keys(object).length === 0) return undefined;
  const words = (part: Part) => (object[part] === undefined ? [] : wordsAt(object, part));
  const [entrypoint, cmd] = [words('entrypoint'), words('cmd')];
  const isKnown = Object.keys(object).every((name) => name === 'entrypoint' || name === 'cmd');
  return isKnown && entrypoint !== undefined && cmd !== undefined ? { entrypoint, cmd } : undefined;
}
