/** How everything of ours is bundled: the options that the build and the benchmark share. */
import path from 'node:path';

const STUBBED = /^node:(assert|http2|http)$/;

/** Builtins that the HTTP client loads at once and does not need; scripts/stubs has what replaces them there. */
const stubs = (root) => ({
  name: 'stubs',
  setup(build) {
    build.onResolve({ filter: STUBBED }, ({ path: builtin, importer }) => {
      if (!importer.includes(`${path.sep}node_modules${path.sep}undici${path.sep}`)) return undefined;
      return { path: path.join(root, 'scripts/stubs', `${builtin.slice('node:'.length)}.cjs`) };
    });
  },
});

/** jq comes with its WebAssembly in a file beside it, or inside: only the second survives being bundled. */
const inlineJq = {
  name: 'inline-jq',
  setup(build) {
    build.onResolve({ filter: /^jq-wasm$/ }, ({ resolveDir, kind }) =>
      build.resolve('jq-wasm/inline', { resolveDir, kind }),
    );
  },
};

/** `root` is the project's folder. */
export const bundling = (root) => ({
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20',
  mainFields: ['module', 'main'],
  minify: true,
  logLevel: 'warning',
  plugins: [stubs(root), inlineJq],
});
