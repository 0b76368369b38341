// Loaded before a measured program: answers each message of its parent with its CPU time so far in milliseconds and its peak
// memory in MiB.
'use strict';
process.on('message', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  process.send({ cpu: (userCPUTime + systemCPUTime) / 1000, mebibytes: maxRSS / 1024 });
});
