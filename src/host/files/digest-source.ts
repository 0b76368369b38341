/** Worker thread: answers a range with its digests, nothing if the file is shorter, or an error. */
export const DIGEST_SOURCE = `'use strict';
const { createHash } = require('node:crypto');
const { closeSync, openSync, readSync } = require('node:fs');
const { parentPort } = require('node:worker_threads');

const chunk = Buffer.allocUnsafeSlow(262144);

function digests({ path, start, end, names }) {
  const hashes = names.map((name) => createHash(name));
  const file = openSync(path, 'r');
  try {
    for (let at = start; at < end;) {
      const count = readSync(file, chunk, 0, Math.min(chunk.length, end - at), at);
      if (count === 0) return undefined;
      for (const hash of hashes) hash.update(chunk.subarray(0, count));
      at += count;
    }
  } finally {
    closeSync(file);
  }
  return hashes.map((hash) => hash.digest('hex'));
}

parentPort.on('message', (range) => {
  try {
    parentPort.postMessage({ digests: digests(range) });
  } catch (error) {
    parentPort.postMessage({ failed: { message: error.message, code: error.code } });
  }
});
`;
