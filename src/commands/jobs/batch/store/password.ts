import type { StoreAddress, StoreHost } from '../../../../batch/index.ts';
import { usage } from '../../../../core/failure.ts';
import type { CommandContext } from '../../../../cli/model/context.ts';

/**
 * Returns the password of a store that asks for one: that of its address in the variable, then PGPASSWORD, then the file of
 * PGPASSFILE (default ~/.pgpass) unless others have access to it, then what the user types. Fails with usage (2) when there is none.
 */
export async function readPassword(
  ctx: CommandContext,
  address: StoreAddress,
  host: StoreHost,
  inAddress: string | undefined,
): Promise<string> {
  const known = inAddress ?? ctx.env['PGPASSWORD'] ?? (await fromFile(ctx, address, host));
  if (known !== undefined) return known;
  if (!ctx.terminal.canAsk)
    throw usage(
      `the database ${address.shown} asks for a password`,
      'Set BERTH_STORE to the address with the password, or PGPASSWORD, or PGPASSFILE.',
    );
  return await ctx.prompts.secret(`Password of ${address.shown}`);
}

/** Tells the user when the file is not used, as the client library of PostgreSQL does. */
async function fromFile(ctx: CommandContext, address: StoreAddress, host: StoreHost): Promise<string | undefined> {
  const home = ctx.env['HOME'];
  const path = ctx.env['PGPASSFILE'] ?? (home === undefined ? undefined : `${home}/.pgpass`);
  if (path === undefined || (await ctx.files.mode(path)) === undefined) return undefined;
  if (!(await isPrivate(ctx, path))) {
    await ctx.tell(`The password file ${path} is not used, because others can read or write it: chmod 600 ${path}`);
    return undefined;
  }
  return passwordIn(Buffer.from(await ctx.files.read(path)).toString(), address, host);
}

/** Whether nobody else may read or write a file: what holds a password or a key. */
export async function isPrivate(ctx: CommandContext, path: string): Promise<boolean> {
  return ctx.platform === 'win32' || (((await ctx.files.mode(path)) ?? 0) & 0o077) === 0;
}

/**
 * Returns the password of the first line that matches: HOST:PORT:DATABASE:USER:PASSWORD, where `*` matches everything and
 * a backslash takes the next character as it is.
 */
function passwordIn(text: string, { database, user }: StoreAddress, { host, port }: StoreHost): string | undefined {
  // PostgreSQL calls the default directory of its sockets localhost.
  const wanted = [host.startsWith('/') ? 'localhost' : host, String(port), database, user];
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('#')) continue;
    const fields = [...line.matchAll(/((?:\\.|[^\\:])*)(?::|$)/gy)].map(([, field = '']) =>
      field.replaceAll(/\\(.)/g, '$1'),
    );
    const matches = wanted.every(
      (value, at) => fields[at] === '*' || fields[at] === value || (at === 0 && fields[0] === host),
    );
    if (matches && fields[4] !== undefined && line !== '') return fields[4];
  }
  return undefined;
}
