import { isUtf8 } from 'node:buffer';
import { Failure, usage } from '../../core/failure.ts';
import { type JsonObject, stringAt } from '../../core/json.ts';
import { textIn, textsIn, type Values } from '../model/command.ts';
import type { CommandContext } from '../model/context.ts';
import { safeText } from '../../core/safe-text.ts';
import { flagName, option, type Params } from '../model/params.ts';

/** Never given on the command line and never printed, such as a password. */
export interface Secret {
  readonly member: string;
  readonly question: string;
}

const REDACTED = '***';

const stdinKey = ({ member }: Secret): string => `${member}Stdin`;
const fileKey = ({ member }: Secret): string => `${member}File`;

export const secretOptions = (secret: Secret): Params => ({
  [stdinKey(secret)]: option.on(`read the ${secret.member} from stdin`),
  [fileKey(secret)]: option.text(`read the ${secret.member} from a file, without its last line end`, {
    metavar: 'FILE',
    complete: 'file',
  }),
});

export const isSecretGiven = (secret: Secret, values: Values): boolean =>
  values[stdinKey(secret)] === true || values[fileKey(secret)] !== undefined;

/** Usage (2): shell history and process lists show the command line. */
export function refuseSecretOnArgv(secret: Secret, values: Values): void {
  const { member } = secret;
  if (textsIn(values, 'set').some((text) => text.startsWith(`${member}=`)))
    throw usage(
      `the ${member} cannot be given on the command line`,
      `It is asked for on a terminal, and read with ${flagName(stdinKey(secret))} or ${flagName(fileKey(secret))}.`,
    );
  if (values[stdinKey(secret)] === true && values['file'] === '-')
    throw usage(`--file - and ${flagName(stdinKey(secret))} both read stdin`, 'Keep one of them.');
}

/** A dry run shows `***`. Usage (2) if empty, too large, not text or unpromptable; local-file (14). */
export async function withSecret(
  ctx: CommandContext,
  secret: Secret,
  body: JsonObject,
  values: Values,
): Promise<JsonObject> {
  const { member, question } = secret;
  if (ctx.dryRun) return { ...body, [member]: REDACTED };
  const [stdin, file] = [flagName(stdinKey(secret)), flagName(fileKey(secret))];
  const isStdin = values[stdinKey(secret)] === true;
  const path = isStdin ? '-' : textIn(values, fileKey(secret));
  if (isStdin && values[fileKey(secret)] !== undefined) throw usage(`use either ${stdin} or ${file}`);
  if (path !== undefined) return { ...body, [member]: textOf(await ctx.files.read(path), isStdin ? 'stdin' : path) };
  if (stringAt(body, member) !== undefined) return body;
  if (!ctx.terminal.canAsk)
    throw usage(`missing ${stdin} or ${file}`, `Without one, the ${member} is asked for on a terminal.`);
  const text = await ctx.prompts.secret(question);
  if (text === '') throw usage(`the ${member} is empty`);
  return { ...body, [member]: text };
}

/** Without the final line end. No message contains a part of it. */
function textOf(bytes: Uint8Array, source: string): string {
  if (!isUtf8(bytes))
    throw usage(`${source} is not UTF-8`, 'Encode other data as text first, for example with base64.');
  const text = new TextDecoder().decode(bytes).replace(/\r?\n$/, '');
  if (text === '') throw usage(`${source} is empty`);
  if (text.includes('\0')) throw usage(`${source} has a zero byte, which no variable can have`);
  return text;
}

/** As it is, as JSON, escaped for a terminal, and line by line. */
function formsOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/).filter((line) => line.length >= 4);
  const forms = [text, ...lines].flatMap((form) => [form, JSON.stringify(form).slice(1, -1), safeText(form)]);
  return [...new Set(forms)].toSorted((one, other) => other.length - one.length);
}

export async function redactingSecret<T>(secret: Secret, body: JsonObject, act: () => Promise<T>): Promise<T> {
  const text = stringAt(body, secret.member) ?? '';
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Failure) || text === '') throw error;
    const forms = formsOf(text);
    const hide = (message: string): string =>
      forms.reduce((hidden, form) => hidden.replaceAll(form, REDACTED), message);
    throw error.with({
      message: hide(error.message),
      detail: error.detail === undefined ? undefined : hide(error.detail),
      errors: error.errors?.map(hide),
    });
  }
}
