// Replaces node:assert inside the HTTP client, which only calls assert(value, message). Loading the real module takes
// milliseconds at every start.
'use strict';
module.exports = function assert(value, message) {
  if (value) return;
  const error = message instanceof Error ? message : new Error(message === undefined ? 'assertion failed' : message);
  error.code = 'ERR_ASSERTION';
  throw error;
};
