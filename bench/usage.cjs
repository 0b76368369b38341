// Loaded before a measured program: writes its peak memory in MiB and its CPU time in milliseconds to file descriptor 3.
'use strict';
process.on('exit', () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  const usage = { mebibytes: maxRSS / 1024, cpuMilliseconds: (userCPUTime + systemCPUTime) / 1000 };
  require('node:fs').writeSync(3, JSON.stringify(usage));
});
