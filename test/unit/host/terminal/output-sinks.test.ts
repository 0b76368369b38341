import { execFile, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

  it('does not open its stream before the first write', () => {
    dataOutput(() => {
      throw new Error('opened');
    });
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

describe('the real stdout', () => {
  const BYTES = 3_000_000;
  let directory = '';
  let program = '';

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'berth-streams-'));
    program = join(directory, 'program.cjs');
    await build({
      stdin: {
        contents: `
          import { processRuntime } from './src/host/runtime/runtime.ts';
          import { dataOutput } from './src/host/terminal/terminal.ts';
          const sink = dataOutput(() => processRuntime().stdout);
          (async () => {
            try {
              for (let i = 0; i < 30; i++) await sink.write((String(i % 10)).repeat(99_999) + '\\n');
              process.exit(0);
            } catch (error) {
              process.exit(error.code === 'closed-pipe' ? 99 : error.exit);
            }
          })();`,
        resolveDir: resolve('.'),
        loader: 'ts',
      },
      bundle: true,
      platform: 'node',
      format: 'cjs',
      outfile: program,
      logLevel: 'error',
    });
  });
  afterAll(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  const exitOf = (stdout: 'pipe' | number, read?: (stream: NodeJS.ReadableStream) => void): Promise<number | null> =>
    new Promise((resolveExit) => {
      const child = spawn(process.execPath, [program], { stdio: ['ignore', stdout, 'ignore'] });
      if (child.stdout) read?.(child.stdout);
      child.on('exit', resolveExit);
    });

  it('passes every byte to a slow reader before the process ends', async () => {
    let size = 0;
    const read = (stream: NodeJS.ReadableStream): void => {
      stream.on('data', (chunk: Buffer) => {
        size += chunk.length;
        stream.pause();
        setImmediate(() => stream.resume());
      });
    };
    const exit = new Promise<void>((ended) => {
      const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'ignore'] });
      read(child.stdout);
      child.on('close', () => {
        ended();
      });
    });
    await exit;
    expect(size).toBe(BYTES);
  });

  it('notices that the reader has closed the pipe', async () => {
    expect(
      await exitOf('pipe', (stream) => {
        stream.once('data', () => {
          (stream as unknown as { destroy(): void }).destroy();
        });
      }),
    ).toBe(99);
  });

  it('writes a whole file', async () => {
    const path = join(directory, 'out');
    const file = openSync(path, 'w');
    expect(await exitOf(file)).toBe(0);
    closeSync(file);
    expect(readFileSync(path).length).toBe(BYTES);
  });

  it.runIf(process.platform === 'linux')('knows a full disk', async () => {
    const full = openSync('/dev/full', 'w');
    expect(await exitOf(full)).toBe(14);
    closeSync(full);
  });

  it.runIf(process.platform === 'linux')('knows a file that takes a part and no more', async () => {
    const path = join(directory, 'limited');
    const run = promisify(execFile)('bash', [
      '-c',
      `trap '' XFSZ; ulimit -f 100; "${process.execPath}" "${program}" > "${path}"`,
    ]);
    await expect(run).rejects.toMatchObject({ code: 14 });
  });
});
