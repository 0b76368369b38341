import { describe, expect, it } from 'vitest';
import { fileOutput } from '../../../../src/host/runtime/runtime.ts';
import { dataOutput } from '../../../../src/host/terminal/terminal.ts';

describe('an output that is a file', () => {
  it('continues after a short write and loses nothing', async () => {
    const taken: Buffer[] = [];
    const stream = fileOutput(9, (_descriptor, bytes, at) => {
      const some = Buffer.from(bytes.subarray(at, at + 3));
      taken.push(some);
      return some.length;
    });
    await dataOutput(() => stream).write('all of these bytes, é included');
    expect(Buffer.concat(taken).toString()).toBe('all of these bytes, é included');
  });

  it('fails with 14 when the disk becomes full', async () => {
    let room = 5;
    const stream = fileOutput(9, (_descriptor, bytes, at) => {
      if (room === 0) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
      const some = Math.min(room, bytes.byteLength - at);
      room -= some;
      return some;
    });
    await expect(dataOutput(() => stream).write('more than five')).rejects.toMatchObject({ exit: 14 });
  });
});
