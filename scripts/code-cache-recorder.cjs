// Loaded before the program by scripts/code-cache.mjs. When the process exits, it writes the V8 code cache of every loaded file,
// with each function that has run, or, if requested, only the names of these files.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const v8 = require('node:v8');
const vm = require('node:vm');

const { BERTH_BUILD_DIST: dist, BERTH_BUILD_SUFFIX: suffix, BERTH_BUILD_LIST: list } = process.env;
const scripts = new Map();

// A cache records the V8 flags at the time of writing, which must be those that every run starts with.
v8.setFlagsFromString = () => undefined;

vm.Script = class extends vm.Script {
  constructor(source, options) {
    super(source, options);
    // The launcher uses a name that does not contain the path of the program.
    if (options.cachedData !== undefined) scripts.set(path.join(dist, path.basename(options.filename)), this);
  }
};

process.on('exit', () => {
  for (const [file, script] of scripts) fs.writeFileSync(file + suffix, script.createCachedData());
  if (list === undefined) return;
  const files = Object.keys(require.cache).filter((file) => path.dirname(file) === dist);
  fs.writeFileSync(list, files.map((file) => path.basename(file)).join('\n'));
});
