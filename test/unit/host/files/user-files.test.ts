import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  constants,
  openSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { interrupted } from '../../../../src/core/failure.ts';
import { openFiles } from '../../../../src/host/files/user-files.ts';
import { createTestWorld, type TestWorld } from '../../../support/worlds/test-world.ts';
import type { Files } from '../../../../src/core/context.ts';

const quiet = new AbortController().signal;
const open = (world: TestWorld): Files => openFiles(world, quiet);
const textOf = async (bytes: Promise<Uint8Array>): Promise<string> => Buffer.from(await bytes).toString();

describe('reading', () => {
  it('reads files relative to the working directory, byte for byte', async () => {
    const world = createTestWorld();
    writeFileSync(join(world.directory, 'in'), Buffer.from([0xff, 0x00, 0x0a]));
    expect([...(await open(world).read('in'))]).toEqual([0xff, 0x00, 0x0a]);
  });

  it('ends with an interrupt while it waits for input', async () => {
    const world = createTestWorld({ tty: { stdin: true } });
    Object.assign(world.stdin, { isTTY: false });
    const controller = new AbortController();
    const read = openFiles(world, controller.signal).read('-');
    controller.abort(interrupted('SIGINT'));
    await expect(read).rejects.toMatchObject({ exit: 130 });
  });
});

describe('writing', () => {
  it('replaces a whole file, with the requested mode', async () => {
    const world = createTestWorld();
    const path = join(world.directory, 'out');
    writeFileSync(path, 'old', { mode: 0o644 });
    await open(world).write('out', 'new', { mode: 0o600 });
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(world.directory)).toEqual(['out']);
  });

  it('keeps the mode of a file if none is requested', async () => {
    const world = createTestWorld();
    const path = join(world.directory, 'out');
    writeFileSync(path, 'old');
    chmodSync(path, 0o640);
    await open(world).write('out', 'new');
    expect(statSync(path).mode & 0o777).toBe(0o640);
  });

  it('does not replace a device or a pipe by a file', async () => {
    const world = createTestWorld();
    symlinkSync('/dev/null', join(world.directory, 'null'));
    await open(world).write('null', 'gone');
    expect(statSync(join(world.directory, 'null')).isCharacterDevice()).toBe(true);
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true);

    execFileSync('mkfifo', [join(world.directory, 'pipe')]);
    // Without a reader, a write would wait forever.
    await expect(open(world).write('pipe', 'lost')).rejects.toMatchObject({ exit: 14 });
    const reader = openSync(join(world.directory, 'pipe'), constants.O_RDONLY | constants.O_NONBLOCK);
    onTestFinished(() => {
      closeSync(reader);
    });
    const [said] = await Promise.all([textOf(open(world).read('pipe')), open(world).write('pipe', 'through')]);
    expect(said).toBe('through');
  });
});
