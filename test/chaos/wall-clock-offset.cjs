'use strict';
/**
 * Loaded with `node --require` into the batch and the service: moves their wall clock by the milliseconds in the file
 * BERTH_CHAOS_CLOCK, also while they run. Monotonic clocks and timers do not change.
 */
const { readFileSync } = require('node:fs');

const file = process.env['BERTH_CHAOS_CLOCK'];
/** Milliseconds after which the file is read again. */
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
      // No file: the offset stays the same.
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
