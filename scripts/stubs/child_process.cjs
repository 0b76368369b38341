// Replaces node:child_process inside the command-line parser, which starts programs only for subcommands in separate
// files; berth has none.
'use strict';
module.exports = {};
