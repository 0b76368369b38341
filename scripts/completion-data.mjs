import Module from 'node:module';
import path from 'node:path';
import * as esbuild from 'esbuild';

const SOURCE = `
import { builtTree } from './src/cli/completion/built-tree.ts';
import { FLAGS, NOUNS } from './src/registry.ts';
export const tree = () => builtTree({ nouns: NOUNS, flags: FLAGS });
`;

/** Runs the sources to make the completion tree. `root` is the folder of the project. */
async function completionTree(root) {
  const { outputFiles } = await esbuild.build({
    absWorkingDir: root,
    stdin: { contents: SOURCE, resolveDir: root },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    packages: 'external',
    logLevel: 'warning',
  });
  const module = new Module(path.join(root, 'completion-tree.cjs'));
  module.filename = module.id;
  module.paths = [path.join(root, 'node_modules')];
  module._compile(outputFiles[0].text, module.id);
  return JSON.stringify(await module.exports.tree(), leaveOut);
}

/** Members that completion does not read. JSON has no functions. */
function leaveOut(key, value) {
  if (key === 'complete' && typeof value === 'object') return { ...value, view: undefined, schema: undefined };
  if (value?.kind !== 'command') return value;
  const { kind, summary, hidden, writes, notifies, watch, fields, args, options } = value;
  return { kind, summary, hidden, writes, notifies, watch, fields, args, options };
}

/** A plugin of the bundler that replaces src/cli/completion/built-tree.ts by the completion tree as data. */
export const completionData = (root) => ({
  name: 'completion-data',
  setup(build) {
    build.onLoad({ filter: /[\\/]completion[\\/]built-tree\.ts$/ }, async () => {
      const text = JSON.stringify(await completionTree(root));
      return { contents: `export const builtTree = () => Promise.resolve(JSON.parse(${text}));`, loader: 'js' };
    });
  },
});
