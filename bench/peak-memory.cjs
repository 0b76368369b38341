// Loaded before a measured program: writes its peak memory in MiB to file descriptor 3.
'use strict';
process.on('exit', () => {
  require('node:fs').writeSync(3, String(process.resourceUsage().maxRSS / 1024));
});
