// Writes to file descriptor 3 how many milliseconds it takes to load the file named on the command line.
'use strict';
const started = process.hrtime.bigint();
require(process.argv[2]);
require('node:fs').writeSync(3, String(Number(process.hrtime.bigint() - started) / 1e6));
