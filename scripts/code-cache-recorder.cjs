// Loaded before the program by scripts/code-cache.mjs. When the process ends it keeps V8's compiled form of every file
// that the program loaded, with each function that has run, or, where it is asked to, only the names of these files.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const v8 = require('node:v8');
const vm = require('node:vm');

const { BERTH_BUILD_DIST: dist, BERTH_BUILD_SUFFIX: suffix, BERTH_BUILD_LIST: list } = process.env;
const scripts = new Map();

// What is kept bears the flags of the moment it is written, and must bear those that every run starts with.
v8.setFlagsFromString = () => undefined;

vm.Script = class extends vm.Script {
  constructor(source, options) {
    super(source, options);
    // The launcher gives a name that says nothing of where the program lies.
    if (options.cachedData !== undefined) scripts.set(path.join(dist, path.basename(options.filename)), this);
  }
};

process.on('exit', () => {
  for (const [file, script] of scripts) fs.writeFileSync(file + suffix, script.createCachedData());
  if (list === undefined) return;
  const files = Object.keys(require.cache).filter((file) => path.dirname(file) === dist);
  fs.writeFileSync(list, files.map((file) => path.basename(file)).join('\n'));
});
