// Replaces node:http inside the HTTP client, which only reads the maximum size of response headers from it, in bytes. The
// value is the default of Node.
'use strict';
module.exports = { maxHeaderSize: 16 * 1024 };
