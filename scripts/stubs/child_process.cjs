// Stands in for node:child_process inside the command-line parser, which starts programs only for subcommands that are
// files of their own; berth has none.
'use strict';
module.exports = {};
