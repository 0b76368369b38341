import { usage } from '../../core/failure.ts';
import type { DurableFiles } from '../../core/context.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { utf8Text } from '../../core/text.ts';
import { parseYamlDocuments, type YamlDocument } from '../../cli/resource/parse-yaml.ts';

/** Concatenated files have a byte order mark before later documents. */
const INNER_MARK = /(^---[ \t]*\r?\n)\uFEFF/gm;

const DOCUMENTS = /\.(ya?ml|json)$/i;

/** Local-file (14) if unreadable; usage (2) for invalid YAML and for a folder without documents. */
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

/** In the order of their names. */
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

/** A prune would remove what a silently skipped pipe, broken link or linked folder describes. */
async function refuseUnread(durable: DurableFiles, path: string, isLink: boolean): Promise<void> {
  if (isLink && (await durable.resolve(path)).kind === 'directory')
    throw usage(`${path} is a link to a folder: it is not followed`, 'Name that folder beside this one.');
  if (DOCUMENTS.test(path)) throw usage(`${path} is no file`, 'Name it by itself, or move it out of the folder.');
}
