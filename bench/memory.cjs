// Loaded before a program that is measured: says on file descriptor 3, in MiB, how much memory it held at its height.
'use strict';
process.on('exit', () => {
  require('node:fs').writeSync(3, String(process.resourceUsage().maxRSS / 1024));
});
