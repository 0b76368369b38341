import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { createAutoAdvancingClock } from '../../../support/clocks/auto-advancing-clock.ts';
import { createAccount } from '../../../support/worlds/local-account.ts';

/** Files by their paths. Contents that differ have different sizes, so that size and time always tell them apart. */
type Tree = Readonly<Record<string, string>>;

const tree: fc.Arbitrary<Tree> = fc.dictionary(
  fc
    .tuple(fc.array(fc.constantFrom('d0', 'd1', 'd2'), { maxLength: 2 }), fc.constantFrom('f0', 'f1', 'f2', 'f 3'))
    .map(([folders, name]) => [...folders, name].join('/')),
  fc.nat(3).map((length) => 'x'.repeat(length)),
  { maxKeys: 8 },
);

const filter = fc.constantFrom(
  { flags: [], leavesOut: () => false },
  { flags: ['--exclude', 'f1'], leavesOut: (file: string) => file.endsWith('f1') },
  { flags: ['--exclude', 'd0/'], leavesOut: (file: string) => `/${file}`.includes('/d0/') },
  { flags: ['--include', 'f0'], leavesOut: (file: string) => !file.endsWith('f0') },
);

const fault = fc.constantFrom(
  undefined,
  "files-error --status 500 --probability 0.3 --match 'GET /vol-datasets'",
  "files-error --status 500 --probability 0.8 --match 'GET /vol-datasets'",
  'files-same-token --probability 0.5',
);

function write(root: string, files: Tree): void {
  mkdirSync(root, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), content);
  }
}

const read = (root: string): Tree =>
  Object.fromEntries(
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
      .filter((name) => !name.startsWith('.s3compat_uploads'))
      .sort()
      .map((name) => [name, readFileSync(path.join(root, name), 'utf8')]),
  );

const sorted = (files: Tree): Tree =>
  Object.fromEntries(Object.entries(files).sort(([one], [other]) => (one < other ? -1 : 1)));

test('after a sync with --delete the target is the filtered source, and nothing else was removed, whatever listings do', async () => {
  await fc.assert(
    fc.asyncProperty(
      tree,
      tree,
      filter,
      fault,
      fc.boolean(),
      async (source, target, { flags, leavesOut }, broken, isUpload) => {
        const account = createAccount(createAutoAdvancingClock());
        const [cwd, data] = [temporaryDirectory(), temporaryDirectory()];
        const run = (line: string) => account(line, { cwd, env: { BERTH_DATA_DIR: data } });
        await run('files ls datasets:');
        const root = path.join(data, 'local/volumes');
        const volume = path.join(root, readdirSync(root)[0] ?? '', 'vol-datasets/x');
        const folder = path.join(cwd, 'folder');
        const [from, to] = isUpload ? [folder, volume] : [volume, folder];
        write(from, source);
        write(to, target);
        write(path.dirname(to), { beside: 'stays' });
        const [one, other] = isUpload ? ['folder/', 'datasets:x'] : ['datasets:x/', 'folder'];
        const line = `files sync ${one} ${other} --delete --yes --allow-empty ${flags.join(' ')}`;
        if (broken !== undefined) await run(`local fault add ${broken}`);
        const first = await run(line);
        if (first.code !== 0 && Object.keys(source).length > 0) {
          // The listing was not whole: nothing may be gone.
          expect(first.code, first.err).toBe(7);
          expect(Object.keys(read(to))).toEqual(expect.arrayContaining(Object.keys(target)));
        }
        await run('local fault clear');
        const ran = await run(line);
        if (ran.code === 4) expect(Object.keys(source)).toEqual([]);
        else {
          expect(ran.code, ran.err).toBe(0);
          const kept = Object.entries(target).filter(([name]) => leavesOut(name));
          const copied = Object.entries(source).filter(([name]) => !leavesOut(name));
          expect(read(to)).toEqual(sorted(Object.fromEntries([...kept, ...copied])));
        }
        expect(read(from)).toEqual(sorted(source));
        expect(read(path.dirname(to))).toMatchObject({ beside: 'stays' });
      },
    ),
    { numRuns: 8 },
  );
});
