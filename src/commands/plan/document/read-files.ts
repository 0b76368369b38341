import { usage } from '../../../core/failure.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { parseYamlDocuments, type YamlDocument } from '../../../cli/resource/body/parse-yaml.ts';

/**
 * The documents of files, of the files of folders below them too, and of stdin (`-`), in this order. Fails with local-file
 * (14) for what cannot be read, and with usage (2) for what is not YAML and for a folder without a file of documents.
 */
export async function readFiles(ctx: CommandContext, paths: readonly string[]): Promise<readonly YamlDocument[]> {
  const documents: YamlDocument[] = [];
  for (const given of paths)
    for (const path of await filesAt(ctx, given)) {
      const text = new TextDecoder().decode(await ctx.files.read(path)).replace(/^\uFEFF/, '');
      documents.push(...parseYamlDocuments(text, path === '-' ? 'stdin' : path));
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
      visible.map(async ({ name, kind }) => {
        const inner = `${folder.replace(/\/+$/, '')}/${name}`;
        if (kind === 'folder') return await within(inner);
        return kind === 'file' && /\.(ya?ml|json)$/i.test(name) ? [inner] : [];
      }),
    );
    return found.flat();
  };
  const files = await within(path);
  if (files.length === 0) throw usage(`${path} holds no file that ends in .yaml, .yml or .json`);
  return files;
}
