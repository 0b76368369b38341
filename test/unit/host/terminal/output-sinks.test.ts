import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { fileOutput } from '../../../../src/host/runtime/runtime.ts';
import { dataOutput, messageOutput } from '../../../../src/host/terminal/terminal.ts';

const failing = (code: string): Writable =>
  new Writable({
    write: (_chunk, _encoding, done) => {
      done(Object.assign(new Error(`write ${code}`), { code }));
    },
  });

describe('a sink', () => {
  it.each([
    ['EPIPE', 0, 'closed-pipe'],
    ['EOF', 0, 'closed-pipe'],
    ['ENOSPC', 14, 'local-file'],
    ['EDQUOT', 14, 'local-file'],
    ['EIO', 14, 'local-file'],
  ])('for data that fails with %s ends %i, at this write and all later ones', async (errorCode, exit, code) => {
    const stream = failing(errorCode);
    const sink = dataOutput(() => stream);
    await expect(sink.write('a')).rejects.toMatchObject({ exit, code });
    await expect(sink.write('b')).rejects.toMatchObject({ exit, code });
  });

  it('for messages ignores the error', async () => {
    const stream = failing('EPIPE');
    const sink = messageOutput(() => stream);
    await sink.write('a');
    await sink.write('b');
  });

  it('waits until a slow reader has read the bytes', async () => {
    const stream = new PassThrough({ highWaterMark: 16 });
    let taken = false;
    const written = dataOutput(() => stream)
      .write('x'.repeat(200_000))
      .then(() => {
        taken = true;
      });
    await dataOutput(() => stream).write('');
    expect(taken).toBe(false);
    let size = 0;
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
    });
    await written;
    expect(size).toBe(200_000);
  });
});

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
