import { usage } from '../../core/failure.ts';
import type { DurableFiles } from '../../core/context.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { utf8Text } from '../../core/text/utf8-text.ts';
import { parseYamlDocuments, type YamlDocument } from '../../cli/resource/body/parse-yaml.ts';

/** A byte order mark before a document that is not the first: files that were put together have it. */
const INNER_MARK = /(^---[ \t]*\r?\n)\uFEFF/gm;

/** How a file of documents is named in a folder. */
const DOCUMENTS = /\.(ya?ml|json)$/i;

/**
 * The documents of files, of the files of folders below them too, and of stdin (`-`), in this order. Fails with local-file (14)
 * for what cannot be read, and with usage (2) for what is not YAML and for a folder without a file of documents.
 */
export async function readFiles(ctx: CommandContext, paths: readonly string[]): Promise<readonly YamlDocument[]> {
  const documents: YamlDocument[] = [];
  for (const given of paths) {
    const found = await filesAt(ctx, given);
    // With --prune, no file would mean that nothing may stay.
    if (found.length === 0) throw usage(`${given} has no file that ends in .yaml, .yml or .json`);
    for (const path of found) {
      const from = path === '-' ? 'stdin' : path;
      const text = utf8Text(await ctx.files.read(path), from, 'Save it as UTF-8.');
      documents.push(...parseYamlDocuments(text.replace(INNER_MARK, '$1'), from));
    }
  }
  return documents;
}

/** The file itself, or the files of a folder, in the order of their names. */
async function filesAt(ctx: CommandContext, path: string): Promise<readonly string[]> {
  if (path === '-') return [path];
  const durable = await ctx.durable();
  if ((await durable.resolve(path)).kind !== 'directory') return [path];
  const within = async (folder: string): Promise<readonly string[]> => {
    const entries = await durable.entries(folder);
    const visible = entries.filter(({ name }) => !name.startsWith('.')).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const found = await Promise.all(
      visible.map(async ({ name, kind, link = false }) => {
        const inner = `${folder.replace(/\/+$/, '')}/${name}`;
        if (kind === 'folder') return await within(inner);
        if (kind === 'other') await refuseUnread(durable, inner, link);
        return kind === 'file' && DOCUMENTS.test(name) ? [inner] : [];
      }),
    );
    return found.flat();
  };
  return await within(path);
}

/**
 * Refuses what would be left out of a folder without a word: a prune would remove what it describes. That is what is named as a
 * file of documents and is none (a pipe, a link to nothing), and a link to a folder, which may lead to a folder above itself.
 */
async function refuseUnread(durable: DurableFiles, path: string, isLink: boolean): Promise<void> {
  if (isLink && (await durable.resolve(path)).kind === 'directory')
    throw usage(`${path} is a link to a folder: it is not followed`, 'Name that folder beside this one.');
  if (DOCUMENTS.test(path)) throw usage(`${path} is no file`, 'Name it by itself, or move it out of the folder.');
}
