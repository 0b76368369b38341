// Stands in for node:http inside the HTTP client, which reads one number from it, and only where none was given.
'use strict';
module.exports = {
  get maxHeaderSize() {
    return require('node:http').maxHeaderSize;
  },
};
