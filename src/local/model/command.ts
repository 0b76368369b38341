import { split } from 'shlex';
import { badRequest } from '../contract/problem.ts';
import { isObject } from '../../core/json.ts';

/** What a container runs, in exec form. */
export interface Command {
  readonly entrypoint: readonly string[];
  readonly cmd: readonly string[];
}

/** The members of a body that set the command (additions 2). */
export interface CommandBody {
  readonly args?: string;
  readonly cmd?: readonly string[] | undefined;
  readonly entrypoint?: readonly string[] | undefined;
}

/**
 * The command of the stored text `args`: a JSON object with `entrypoint` or `cmd`, or plain text, which is `cmd`, split as a
 * shell does. Text with a quote that is not closed is split at white space.
 */
export function decodeCommand(args: string): Command {
  const text = args.trim();
  if (text === '') return { entrypoint: [], cmd: [] };
  return jsonCommand(text) ?? { entrypoint: [], cmd: words(text) };
}

/**
 * The stored text after the changes of a body: of the arrays, one that is absent is kept. Throws the 400 Problem when
 * `args` and an array of the body disagree.
 */
export function argsWith(current: string, { args, cmd, entrypoint }: CommandBody): string {
  if (args === undefined) {
    if (cmd === undefined && entrypoint === undefined) return current;
    const kept = decodeCommand(current);
    return encodeCommand({ entrypoint: entrypoint ?? kept.entrypoint, cmd: cmd ?? kept.cmd });
  }
  const said = decodeCommand(args);
  if (!isSame(cmd ?? said.cmd, said.cmd) || !isSame(entrypoint ?? said.entrypoint, said.entrypoint))
    throw badRequest('args does not say the same command as cmd and entrypoint');
  return args;
}

const encodeCommand = ({ entrypoint, cmd }: Command): string =>
  entrypoint.length + cmd.length === 0
    ? ''
    : JSON.stringify({
        ...(entrypoint.length > 0 ? { entrypoint } : {}),
        ...(cmd.length > 0 ? { cmd } : {}),
      });

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((word, index) => word === other[index]);

function words(text: string): readonly string[] {
  try {
    return split(text);
  } catch {
    return text.split(/\s+/);
  }
}

/** Undefined for what is not such an object: it is plain text then. */
function jsonCommand(text: string): Command | undefined {
  if (!text.startsWith('{')) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { entrypoint = [], cmd = [], ...others } = value;
  const isOne = Object.keys(value).length > 0 && Object.keys(others).length === 0;
  return isOne && areWords(entrypoint) && areWords(cmd) ? { entrypoint, cmd } : undefined;
}

const areWords = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((word) => typeof word === 'string');
