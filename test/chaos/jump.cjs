'use strict';
/**
 * Loaded with `node --require` into the batch and the service: moves their wall clock by the milliseconds that the file
 * named by BERTH_CHAOS_CLOCK holds, also while they run. Monotonic clocks and timers stay as they are.
 */
const { readFileSync } = require('node:fs');

const file = process.env['BERTH_CHAOS_CLOCK'];
/** The file is read again after so many milliseconds. */
const FRESH_MS = 10;
const RealDate = Date;
let offset = 0;
let readAt = -Infinity;

function now() {
  const time = performance.now();
  if (time - readAt >= FRESH_MS) {
    readAt = time;
    try {
      offset = Number(readFileSync(file, 'utf8')) || 0;
    } catch {
      // No file: the clock stays as far from the real one as it was.
    }
  }
  return RealDate.now() + offset;
}

if (file !== undefined) {
  globalThis.Date = class Date extends RealDate {
    constructor(...args) {
      if (args.length === 0) super(now());
      else super(...args);
    }

    static now() {
      return now();
    }
  };
}
