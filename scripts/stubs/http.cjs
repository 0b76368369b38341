// Stands in for node:http inside the HTTP client, which reads one number from it at once: the largest head of an answer
// that it accepts, in bytes. This is Node's own default.
'use strict';
module.exports = { maxHeaderSize: 16 * 1024 };
