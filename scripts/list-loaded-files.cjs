// Loaded before the program by scripts/packs.mjs. When the process exits, it writes the names of the program's files that
// were loaded, in the order of loading.
'use strict';
const fs = require('node:fs');
const path = require('node:path');

const { BERTH_BUILD_DIST: dist, BERTH_BUILD_LIST: list } = process.env;

// As the launcher does: the bytes of a file that is no code.
require.extensions['.wasm'] = (module, file) => {
  module.exports = fs.readFileSync(file);
};

process.on('exit', () => {
  const files = Object.keys(require.cache).filter((file) => path.dirname(file) === dist && file.endsWith('.cjs'));
  fs.writeFileSync(list, files.map((file) => path.basename(file)).join('\n'));
});
