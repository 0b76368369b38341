import { Failure, usage } from '../../core/failure.ts';
import { memberAt, stringOf, type JsonObject } from '../../core/json.ts';
import type { Values } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { flagName, option, type Params } from '../parse/params.ts';

/** A member of a body that is never on a command line and never shown: a password. */
export interface Secret {
  readonly member: string;
  /** What it is asked with, masked. */
  readonly question: string;
}

const REDACTED = '***';

const stdinKey = ({ member }: Secret): string => `${member}Stdin`;

/** `--password-stdin`. */
export const secretOptions = (secret: Secret): Params => ({
  [stdinKey(secret)]: option.on(`read the ${secret.member} from stdin`),
});

/** A secret on the command line is in the shell's history and in every list of processes. Fails with usage (2). */
export function refuseSecretOnArgv(secret: Secret, values: Values): void {
  const { member } = secret;
  if ((values['set'] as readonly string[]).some((text) => text.startsWith(`${member}=`)))
    throw usage(
      `the ${member} is never given on the command line`,
      `It is asked for on a terminal, and read from stdin with ${flagName(stdinKey(secret))}.`,
    );
  if (values[stdinKey(secret)] === true && values['file'] === '-')
    throw usage(`--file - and ${flagName(stdinKey(secret))} both read stdin`, 'Keep one of them.');
}

/**
 * The body with its secret: from stdin, from the file that holds the body, or asked for, masked. A dry run has none and
 * shows `***`. Fails with usage (2) where nobody can be asked, or what came is empty.
 */
export async function withSecret(
  ctx: CommandContext,
  secret: Secret,
  body: JsonObject,
  values: Values,
): Promise<JsonObject> {
  const { member, question } = secret;
  if (ctx.dryRun) return { ...body, [member]: REDACTED };
  const flag = flagName(stdinKey(secret));
  if (values[stdinKey(secret)] === true) {
    const text = new TextDecoder().decode(await ctx.files.read('-')).replace(/\r?\n$/, '');
    if (text === '') throw usage(`${flag}: stdin is empty`);
    return { ...body, [member]: text };
  }
  if (stringOf(memberAt(body, member)) !== undefined) return body;
  if (!ctx.terminal.canAsk)
    throw usage(`missing ${flag}`, `The ${member} is asked for on a terminal, and read from stdin with ${flag}.`);
  const text = await ctx.prompts.secret(question);
  if (text === '') throw usage(`the ${member} is empty`);
  return { ...body, [member]: text };
}

/** Does something with a body; a refusal that repeats its secret is said without it. */
export async function hidingSecret<T>(secret: Secret, body: JsonObject, act: () => Promise<T>): Promise<T> {
  const text = stringOf(memberAt(body, secret.member)) ?? '';
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Failure) || text === '') throw error;
    const hide = (said: string): string => said.replaceAll(text, REDACTED);
    throw error.with({
      message: hide(error.message),
      detail: error.detail === undefined ? undefined : hide(error.detail),
      errors: error.errors?.map(hide),
    });
  }
}
