import { Writable } from 'node:stream';
import { describe, expect, it, test } from 'vitest';
import { fileOutput } from '../../../../src/host/runtime/runtime.ts';
import { openOutput } from '../../../../src/host/terminal/terminal.ts';

const unused = (): never => {
  throw new Error('nothing has to wait');
};

describe('an output that is a pipe', () => {
  const full = Object.assign(new Error('no room'), { code: 'EAGAIN' });

  it('loses nothing where the pipe is full, and keeps the order', async () => {
    const taken: string[] = [];
    let room = 4;
    const stream = fileOutput(
      9,
      () => {
        return new Writable({
          write: (chunk: Buffer, _encoding, done) => {
            taken.push(`(${chunk.toString()})`);
            room = 3;
            done();
          },
        });
      },
      Infinity,
      (_descriptor, bytes, at) => {
        if (room === 0) throw full;
        const some = Buffer.from(bytes.subarray(at, at + room));
        taken.push(some.toString());
        room = 0;
        return some.length;
      },
    );
    const { write } = openOutput({ stdout: stream }, 'stdout');
    await Promise.all([write('abcdef'), write('gh'), write('ijklm')]);
    expect(taken).toEqual(['abcd', '(ef)', '(gh)', '(ijklm)']);
  });

  it('ends quietly where the reader goes away while it is full', async () => {
    const stream = fileOutput(
      9,
      () => {
        return new Writable({
          write: (_chunk, _encoding, done) => done(Object.assign(new Error(), { code: 'EPIPE' })),
        });
      },
      Infinity,
      () => {
        throw full;
      },
    );
    await expect(openOutput({ stdout: stream }, 'stdout').write('a')).rejects.toMatchObject({ code: 'closed-pipe' });
  });
});

test('an output that is a socket takes what it has room for, and the rest waits', async () => {
  const taken: string[] = [];
  const stream = fileOutput(
    9,
    () => new Writable({ write: (chunk: Buffer, _, done) => done(void taken.push(`(${chunk.toString()})`)) }),
    2048,
    (_descriptor, bytes) => {
      taken.push(Buffer.from(bytes).toString());
      return bytes.byteLength;
    },
  );
  const { write } = openOutput({ stdout: stream }, 'stdout');
  for (const text of ['abcd', 'efgh', 'i', 'j']) await write(text);
  expect(taken).toEqual(['abcd', 'efgh', '(i)', '(j)']);
});

describe('an output that is a file', () => {
  it('continues after a short write and loses nothing', async () => {
    const taken: Buffer[] = [];
    const stream = fileOutput(9, unused, Infinity, (_descriptor, bytes, at) => {
      const some = Buffer.from(bytes.subarray(at, at + 3));
      taken.push(some);
      return some.length;
    });
    await openOutput({ stdout: stream }, 'stdout').write('all of these bytes, é included');
    expect(Buffer.concat(taken).toString()).toBe('all of these bytes, é included');
  });

  it('fails with 14 when the disk becomes full', async () => {
    let room = 5;
    const stream = fileOutput(9, unused, Infinity, (_descriptor, bytes, at) => {
      if (room === 0) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
      const some = Math.min(room, bytes.byteLength - at);
      room -= some;
      return some;
    });
    await expect(openOutput({ stdout: stream }, 'stdout').write('more than five')).rejects.toMatchObject({ exit: 14 });
  });
});
