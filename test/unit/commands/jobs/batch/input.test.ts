import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { berthIn, type Ran } from '../../../../support/worlds/run-berth.ts';
import { createBatchWorld, items, read, RUN } from '../../../../support/batch/command-fixture.ts';
import { summary, write, type BatchWorld } from '../../../../support/batch/command-fixture.ts';

const PIPED = ['jobs', 'batch', 'run', 'echo', '--input', '-', '--out', 'out.jsonl', '--json'];

describe('piped input', () => {
  test('is named stdin in the error when it is invalid', async () => {
    for (const [content, words, ...more] of [
      ['{"a":1}\nnope\n', 'stdin, line 2, column 1: it is not JSON'],
      ['{"a":1}\n[2]\n', 'stdin, line 2: it is not a JSON object'],
      ['\n', 'stdin contains no items to send'],
      ['a,a\n1,2\n', 'stdin, line 1: two columns', '--input-format', 'csv'],
    ] as const)
      for (const dry of [[], ['--dry-run']]) {
        const world = await createBatchWorld({ stdin: content });
        const ran = await berthIn(world, [...PIPED, ...more, ...dry]);
        expect([ran.code, ran.err]).toEqual([2, expect.stringContaining(words)]);
        expect(ran.err).not.toContain('out.jsonl');
      }
  });
});

test('a CSV file with invalid UTF-8 or rows of another length is refused by line, or its rows are skipped', async () => {
  const world = await createBatchWorld();
  const content = Buffer.concat([Buffer.from('a,b\n1,2\nx,'), Buffer.of(0xe9), Buffer.from('\n3\n4,5\n')]);
  writeFileSync(join(world.directory, 'in.csv'), content);
  const argv = ['jobs', 'batch', 'run', 'echo', '--input', 'in.csv', '--out', 'out.jsonl', '--json'];
  const ran = await berthIn(world, argv);
  expect(ran.code).toBe(2);
  expect(ran.err).toContain('2 items cannot be sent; nothing was sent. in.csv, line 3: column');
  expect(ran.err).toContain('it is not UTF-8 text');
  expect(ran.err).toContain('in.csv, line 4: fields: 1');
  expect(existsSync(join(world.directory, 'out.jsonl'))).toBe(false);
  const rest = await berthIn(world, [...argv, '--skip-invalid']);
  expect(rest.code, rest.err).toBe(0);
  expect(summary(rest)).toMatchObject({ planned: 2, completed: 2, invalid: 2 });
  expect(read(world, 'out.jsonl')).not.toContain('\uFFFD');
});

test('an input without any valid item is refused, also with --skip-invalid', async () => {
  const world = await createBatchWorld();
  write(world, 'in.jsonl', items(25));
  for (const more of [[], ['--skip-invalid'], ['--skip-invalid', '--dry-run']]) {
    const ran = await berthIn(world, [...RUN, '--id-field', 'nope', ...more]);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain('25 items cannot be sent, and there are no others; nothing was sent.');
    expect(ran.err).toContain('line 1: it has no member "nope"');
    expect(ran.err).toContain('and 5 more');
    expect(ran.err).not.toContain('leave them out');
  }
});

describe('a pipe as the input', () => {
  async function piped(content: string, ...argv: readonly string[]): Promise<Ran> {
    const world = await createBatchWorld();
    const pipe = join(world.directory, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const [ran] = await Promise.all([
      berthIn(world, ['jobs', 'batch', 'run', 'echo', '--input', 'pipe', '--out', 'out.jsonl', '--json', ...argv]),
      writeFile(pipe, content),
    ]);
    return ran;
  }

  test('is copied beside the results, because it can be read only once', async () => {
    // More than a pipe holds.
    const content = items(5, `,"x":"${'x'.repeat(200_000)}"`);
    const ran = await piped(content);
    expect(ran.code, ran.err).toBe(0);
    expect(summary(ran)).toMatchObject({ completed: 5, input: 'out.jsonl.journal.input' });
    expect(read(ran.world, 'out.jsonl.journal.input')).toBe(content);
  });

  test('is validated by a dry run and named in errors', async () => {
    expect(summary(await piped(items(2), '--dry-run'))).toMatchObject({ planned: 2, input: 'pipe' });
    const bad = await piped('nope\n');
    expect([bad.code, bad.err]).toEqual([2, expect.stringContaining('pipe, line 1')]);
  });
});

describe('resume finds the input', () => {
  const rest = { completed: 4, planned: 4 };
  /** Begins a batch of four from a folder, as if its process had ended before anything was sent. */
  async function begun(input: string, out: string, stdin?: string): Promise<BatchWorld> {
    const world = await createBatchWorld(stdin === undefined ? {} : { stdin });
    for (const folder of ['a', 'a/b', 'c']) mkdirSync(join(world.directory, folder));
    for (const file of ['a/in.jsonl', 'a/b/in.jsonl', 'c/in.jsonl']) write(world, file, items(file.length));
    write(world, 'a/in.jsonl', items(4));
    const ran = await berthIn({ ...world, cwd: join(world.directory, 'a') }, [
      ...['jobs', 'batch', 'run', 'echo', '--input', input, '--out', out, '--ordered', '--json'],
    ]);
    expect(ran.code, ran.err).toBe(0);
    const results = resolve(world.directory, 'a', out);
    const [header] = readFileSync(`${results}.journal`, 'utf8').split('\n');
    writeFileSync(`${results}.journal`, `${header ?? ''}\n`);
    rmSync(`${results}.journal.end`);
    writeFileSync(results, '');
    return world;
  }
  const batch = (verb: string, results: string): readonly string[] => ['jobs', 'batch', verb, results, '--json'];

  test.each([
    ['beside the results', 'in.jsonl', 'out.jsonl', 'a/out.jsonl', 'a/in.jsonl', 'in.jsonl'],
    ['above them', 'in.jsonl', 'b/out.jsonl', 'a/b/out.jsonl', '/a/in.jsonl', '/a/in.jsonl'],
    ['as a copy', '-', 'b/out.jsonl', 'a/b/out.jsonl', 'a/b/out.jsonl.journal.input', 'out.jsonl.journal.input'],
  ])('from another directory: %s', async (_, input, out, results, shown, kept) => {
    const world = await begun(input, out, items(4));
    const named = (path: string): string => (path.startsWith('/') ? world.directory + path : path);
    expect(read(world, `${results}.journal`)).toContain(`"path":${JSON.stringify(named(kept))}`);
    const status = await berthIn(world, batch('status', results));
    expect(summary(status)).toMatchObject({ input: named(shown), waiting: 4 });
    const ran = await berthIn(world, batch('resume', results));
    expect(ran.code, ran.err).toBe(0);
    expect(summary(ran)).toMatchObject({ ...rest, input: named(shown) });
  });

  test('through a symbolic link', async () => {
    const world = await createBatchWorld();
    write(world, 'in.jsonl', items(4));
    symlinkSync('in.jsonl', join(world.directory, 'link'));
    const ran = await berthIn(world, [...RUN.slice(0, 5), 'link', ...RUN.slice(6), '--json']);
    expect([ran.code, summary(ran)['input']]).toEqual([0, 'in.jsonl']);
    rmSync(join(world.directory, 'link'));
    expect(summary(await berthIn(world, batch('status', 'out.jsonl')))).toMatchObject({ input: 'in.jsonl' });
    const again = await berthIn(world, batch('resume', 'out.jsonl'));
    expect(again.code, again.err).toBe(0);
  });

  test('after the folder of input and results was moved', async () => {
    const world = await begun('in.jsonl', 'b/../out.jsonl');
    renameSync(join(world.directory, 'a'), join(world.directory, 'moved'));
    const ran = await berthIn(world, batch('resume', 'moved/out.jsonl'));
    expect(ran.code, ran.err).toBe(0);
    expect(summary(ran)).toMatchObject({ ...rest, input: 'moved/in.jsonl' });
  });

  test('or names the path where it should be', async () => {
    const world = await begun('in.jsonl', 'out.jsonl');
    rmSync(join(world.directory, 'a/in.jsonl'));
    const ran = await berthIn(world, batch('resume', 'a/out.jsonl'));
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining('the input a/in.jsonl is not there')]);
  });
});
