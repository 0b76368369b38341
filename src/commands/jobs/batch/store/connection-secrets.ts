import { type StoreAddress, type StoreHost, serviceOf, type Certificates } from '../../../../batch/index.ts';
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
async function isPrivate(ctx: CommandContext, path: string): Promise<boolean> {
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

const textOf = async (ctx: CommandContext, path: string): Promise<string> =>
  Buffer.from(await ctx.files.read(path)).toString();

/**
 * Reads the members of the service that an address or PGSERVICE names: from the file of PGSERVICEFILE (default
 * ~/.pg_service.conf), then from pg_service.conf in the folder of PGSYSCONFDIR. Fails with usage (2) when there is none.
 */
export async function readService(ctx: CommandContext, address: string): Promise<Readonly<Record<string, string>>> {
  const name = serviceOf(address, ctx.env);
  if (name === undefined) return {};
  const { HOME: home, PGSERVICEFILE: file, PGSYSCONFDIR: folder } = ctx.env;
  const paths = [
    file ?? (home === undefined ? [] : `${home}/.pg_service.conf`),
    folder === undefined ? [] : `${folder}/pg_service.conf`,
  ].flat();
  for (const path of paths) {
    const found = (await ctx.files.mode(path)) === undefined ? undefined : sectionOf(await textOf(ctx, path), name);
    if (found !== undefined) return found;
  }
  throw usage(
    `there is no service ${name} of PostgreSQL`,
    `Searched: ${paths.join(', ')}. PGSERVICEFILE names another file.`,
  );
}

/** Returns the members of a section; undefined when there is no such section. */
function sectionOf(text: string, name: string): Readonly<Record<string, string>> | undefined {
  const sections = text.split(/^[ \t]*\[(.*)\][ \t]*\r?$/m);
  const at = sections.findIndex((title, index) => index % 2 === 1 && title === name);
  if (at < 0) return undefined;
  const lines = (sections[at + 1] ?? '').split(/\r?\n/).map((line) => line.trim());
  return Object.fromEntries(
    lines.flatMap((line) => {
      if (line === '' || line.startsWith('#')) return [];
      const [, key = line, value = ''] = /^([^=]*?)\s*=\s*(.*)$/.exec(line) ?? [];
      return [[key, value]];
    }),
  );
}

/**
 * Reads the files with certificates and the key that an address names. Fails with local-file (14) when one is missing, and
 * with usage (2) for a key that others can read, and for a certificate without a key.
 */
export async function readCertificates(
  ctx: CommandContext,
  { rootCertificates, certificate, key }: StoreAddress,
): Promise<Certificates> {
  if ((certificate === undefined) !== (key === undefined))
    throw usage('a client certificate of the store needs sslcert and sslkey', 'Set both, or PGSSLCERT and PGSSLKEY.');
  const read = async (path: string | undefined): Promise<string | undefined> =>
    path === undefined ? undefined : await textOf(ctx, path);
  const certificates = { ca: await read(rootCertificates), cert: await read(certificate), key: await read(key) };
  if (key !== undefined && !(await isPrivate(ctx, key)))
    throw usage(`others can read or write the key ${key}`, `Take their rights away: chmod 600 ${key}`);
  return certificates;
}
