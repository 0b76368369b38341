import { Failure, usage } from '../../core/failure.ts';
import { type JsonObject, stringAt } from '../../core/json.ts';
import type { Values } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { flagName, option, type Params } from '../parse/params.ts';

/** A member of a body that is never given on the command line and never printed, such as a password. */
export interface Secret {
  readonly member: string;
  /** The text of its masked prompt. */
  readonly question: string;
}

const REDACTED = '***';

const stdinKey = ({ member }: Secret): string => `${member}Stdin`;

/** `--password-stdin`. */
export const secretOptions = (secret: Secret): Params => ({
  [stdinKey(secret)]: option.on(`read the ${secret.member} from stdin`),
});

/** Fails with usage (2) if the secret is on the command line, where shell history and process lists show it. */
export function refuseSecretOnArgv(secret: Secret, values: Values): void {
  const { member } = secret;
  if ((values['set'] as readonly string[]).some((text) => text.startsWith(`${member}=`)))
    throw usage(
      `the ${member} cannot be given on the command line`,
      `It is asked for on a terminal, and read from stdin with ${flagName(stdinKey(secret))}.`,
    );
  if (values[stdinKey(secret)] === true && values['file'] === '-')
    throw usage(`--file - and ${flagName(stdinKey(secret))} both read stdin`, 'Keep one of them.');
}

/**
 * The body with its secret from stdin, from the body's file, or from a masked prompt. A dry run shows `***`. Fails with
 * usage (2) if the secret is empty or there is no terminal for the prompt.
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
  if (stringAt(body, member) !== undefined) return body;
  if (!ctx.terminal.canAsk)
    throw usage(`missing ${flag}`, `The ${member} is asked for on a terminal, and read from stdin with ${flag}.`);
  const text = await ctx.prompts.secret(question);
  if (text === '') throw usage(`the ${member} is empty`);
  return { ...body, [member]: text };
}

/** Runs `act`; replaces the secret with `***` in the texts of its failure. */
export async function redactingSecret<T>(secret: Secret, body: JsonObject, act: () => Promise<T>): Promise<T> {
  const text = stringAt(body, secret.member) ?? '';
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Failure) || text === '') throw error;
    const hide = (message: string): string => message.replaceAll(text, REDACTED);
    throw error.with({
      message: hide(error.message),
      detail: error.detail === undefined ? undefined : hide(error.detail),
      errors: error.errors?.map(hide),
    });
  }
}
