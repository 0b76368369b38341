// Loaded before the program by scripts/code-cache.mjs: keeps V8's compiled form of every file the program loaded, with
// each function that has run by the time the process ends.
'use strict';
const fs = require('node:fs');
const v8 = require('node:v8');
const vm = require('node:vm');

const suffix = process.env.BERTH_BUILD_CACHE_SUFFIX;
const scripts = new Map();

// What is kept bears the flags of the moment it is written, and must bear those that every run starts with.
v8.setFlagsFromString = () => undefined;

vm.Script = class extends vm.Script {
  constructor(source, options) {
    super(source, options);
    if (options.cachedData !== undefined) scripts.set(options.filename, this);
  }
};

process.on('exit', () => {
  for (const [file, script] of scripts) fs.writeFileSync(file + suffix, script.createCachedData());
});
