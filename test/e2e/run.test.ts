import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasSsh } from '../support/servers/sshd.ts';
import { berthPath, cleanEnvironmentIn, type Ended, runProgram, temporaryFolder } from './support.ts';

/** Moves the clock of the service by ten seconds, nine times. */
const HURRY = `node -e '
const { BERTH_BASE_URL, BERTH_API_KEY } = process.env;
const headers = { authorization: "Bearer " + BERTH_API_KEY, "content-type": "application/json" };
const advance = () => fetch(BERTH_BASE_URL + "/local/clock", { method: "POST", headers, body: "{\\"advanceMs\\":10000}" });
for (let at = 1; at < 10; at++) setTimeout(() => advance().catch(() => process.exit()), 400 * at);
' &`;

/** Runs a shell script beside a local service whose pods start at once. */
async function script(text: string): Promise<Ended & { readonly folder: string }> {
  const folder = await temporaryFolder();
  const clean = cleanEnvironmentIn(folder);
  const env = { ...clean, PATH: [path.dirname(berthPath()), clean['PATH']].join(path.delimiter) };
  const ended = await runProgram(berthPath(), ['local', 'exec', '--', 'sh', '-c', `${HURRY}\n${text}`], {
    env,
    cwd: folder,
  });
  return { ...ended, folder };
}

const GPU = '--gpu GPU-24G --image example/pytorch:2.8';
const LEFT = "berth pods list --match 'run-*' -o id | sed 's/^/left /'";

describe.skipIf(!hasSsh)('berth run', () => {
  test('copies in, runs, copies back, terminates; the exit code and the output are those of the command', async () => {
    const { code, stdout, stderr, folder } = await script(`
mkdir src && echo one >src/a && echo no >src/b.log && echo '*.log' >src/.gitignore
mkdir -p src/deep/build src/deep/down src/other && printf '%s\\n' '!keep.log' /build '*.tmp' '# no' >src/deep/.gitignore
for file in deep/keep.log deep/x.log deep/build/c deep/down/y.tmp deep/down/build other/build other/z.tmp; do echo >src/$file; done
berth run ${GPU} --in src --out results --max-cost 2 --receipt receipt.json --env WORD='a b' -- sh -c '
  find src -type f | LC_ALL=C sort; echo "$WORD"; echo problem >&2; mkdir results; printf "\\0\\377" >results/raw; exit 7'
code=$?; ${LEFT}; exit $code`);
    const taken = [
      '.gitignore',
      'a',
      'deep/.gitignore',
      'deep/down/build',
      'deep/keep.log',
      'other/build',
      'other/z.tmp',
    ];
    expect([code, stdout]).toEqual([7, `${taken.map((file) => `src/${file}\n`).join('')}a b\n`]);
    expect(
      stderr
        .replaceAll(/run-\w+/g, 'RUN')
        .split('\n')
        .map((line) => line.replaceAll(/\d+s/g, 'Ns')),
    ).toEqual([
      'GPU-24G x1, SECURE: $0.69/h, at most $2.00',
      expect.stringMatching(/^created pod RUN \(pod-\d+\), running after Ns$/),
      'copied 7 files (42 B) to RUN:src',
      'problem',
      'copied 1 file (2 B) to results',
      expect.stringMatching(/^terminated pod-\d+: Ns, /),
      '',
    ]);
    expect([...(await readFile(path.join(folder, 'results/raw')))]).toEqual([0, 255]);
    expect(JSON.parse(await readFile(path.join(folder, 'receipt.json'), 'utf8'))).toMatchObject({
      hardware: 'GPU-24G x1, SECURE',
      exitCode: 7,
      filesIn: 7,
      filesOut: 1,
      terminated: true,
    });
  });

  test('a signal ends it and the pod; after SIGKILL its second process ends the pod', async () => {
    const signals = [
      ['INT', 130],
      ['TERM', 143],
      ['HUP', 143],
      ['KILL', 137],
    ] as const;
    const ends = signals.map(async ([signal, code]) => {
      const { stdout, stderr } = await script(`
berth run ${GPU} --out out.txt -- sh -c 'echo begun; echo part >out.txt; sleep 60' >said 2>err & p=$!
until grep -q begun said; do sleep 0.1; done
kill -${signal} $p; wait $p; echo "code $?"; cat err >&2
for i in 1 2 3 4 5 6 7 8 9; do [ -z "$(${LEFT})" ] && break; sleep 1; done
${LEFT}; cat out.txt 2>/dev/null`);
      expect([signal, stdout]).toEqual([signal, `code ${String(code)}\n${signal === 'KILL' ? '' : 'part\n'}`]);
      expect(stderr.includes('terminated pod-')).toBe(signal !== 'KILL');
    });
    await Promise.all(ends);
  });

  test('with --no-out an interrupt copies nothing back; --json prints the receipt last', async () => {
    const { stdout, stderr } = await script(`
berth run ${GPU} --json --no-out --out out.txt -- sh -c 'echo begun; echo part >out.txt; sleep 60' >said & p=$!
until grep -q begun said; do sleep 0.1; done
kill -INT $p; wait $p; echo "code $?"; ${LEFT}; cat out.txt 2>/dev/null`);
    expect(stdout).toBe('code 130\n');
    expect(stderr).toMatch(/^\{"id":"pod-.*"exitCode":null,.*"filesOut":0,"terminated":true\}$/m);
  });

  test('a time limit is 9 with what is there', async () => {
    const { stdout, stderr } = await script(`
berth run ${GPU} --timeout 30s --out out -- sh -c 'echo part >out; sleep 600'; echo "code $?"; ${LEFT}; cat out`);
    expect([stdout, stderr]).toEqual([
      'code 9\npart\n',
      expect.stringMatching(/at most \$0\.01 in 30s\n[^]*ended after 30s \(--timeout\)/),
    ]);
  });

  test('a pod that dies under the command is 10, and is gone', async () => {
    const { stdout, stderr } = await script(`
berth run ${GPU} --name dies -- sh -c 'echo begun; sleep 60' >said & p=$!
until grep -q begun said; do sleep 0.1; done
berth pods stop dies --quiet; wait $p; echo "code $?"; berth pods list --match dies -o id`);
    expect([stdout, stderr]).toEqual([
      'code 10\n',
      expect.stringMatching(/\/h, at most \$16\.56 in 1d\n[^]*died under the command: it is EXITED/),
    ]);
  });

  test('a create whose answer is lost makes one pod, which is used and gone', async () => {
    const { stdout, code } = await script(`
berth local fault add lost-answer --count 1 --match 'POST /v2/pods'
berth run ${GPU} -- echo done; code=$?; ${LEFT}; exit $code`);
    expect([code, stdout]).toEqual([0, 'done\n']);
  });

  test('a result that is not there is named once, and is 4 only where the command ended 0', async () => {
    const { stdout, stderr } = await script(`
for code in 0 7; do berth run ${GPU} --out gone -- sh -c "exit $code"; echo "code $?"; done`);
    expect([stdout, stderr.match(/no such file or folder: \S+:gone/g)?.length]).toEqual(['code 4\ncode 7\n', 2]);
  });

  test('a folder that cannot be made ends it at once with 5', async () => {
    const { stdout, stderr } = await script(`berth run ${GPU} --workdir /dev/null/x -- true; echo "code $?"; ${LEFT}`);
    expect([stdout, stderr]).toEqual(['code 5\n', expect.stringMatching(/mkdir/)]);
  });

  test('detached, it goes on; attached, its output comes from the first byte, and its exit code', async () => {
    const { stdout, stderr } = await script(`
id=$(berth run ${GPU} --detach -- sh -c 'echo one; sleep 3; echo two; exit 5')
berth run attach "$id"; echo "code $?"; ${LEFT}`);
    expect([stdout, stderr]).toEqual(['one\ntwo\ncode 5\n', expect.stringMatching(/run attach pod-/)]);
  });

  test('a time limit stays where a run is left', async () => {
    const { stdout, stderr } = await script(`
id=$(berth run ${GPU} --detach --timeout 10m -- sleep 100)
berth local clock advance 11m >"$HOME/clock"; berth run attach "$id"; echo "code $?"; ${LEFT}`);
    expect([stdout, stderr]).toEqual(['code 9\n', expect.stringMatching(/ended after 10m \(--timeout\)/)]);
  });

  test('lost connections lose and repeat no byte', async () => {
    const folder = await temporaryFolder();
    await mkdir(path.join(folder, 'bin'));
    // An ssh that is cut after 0.3 seconds in five of its calls, and at once in the first copy.
    const wrapper = `#!/bin/sh
case "$*" in *tar\\ *) [ ! -e '${folder}/cut' ] || exec /usr/bin/ssh "$@"; touch '${folder}/cut'; exit 255;; esac
echo >>'${folder}/calls'; n=$(wc -l <'${folder}/calls')
if [ "$n" -gt 1 ] && [ "$n" -lt 7 ]; then timeout 0.3 /usr/bin/ssh "$@"; c=$?; [ $c != 124 ] || c=255; exit $c; fi
exec /usr/bin/ssh "$@"`;
    await writeFile(path.join(folder, 'bin/ssh'), wrapper, { mode: 0o755 });
    const { code, stdout, stderr } = await script(
      `PATH='${folder}/bin':"$PATH" berth run ${GPU} --out out -- sh -c 'i=0; while [ $i -lt 300 ]; do echo "line $i"; i=$((i + 1)); sleep 0.01; done; echo >out'; code=$?; ls out >&2; exit $code`,
    );
    const lines = Array.from({ length: 300 }, (_, at) => `line ${String(at)}\n`).join('');
    expect([code, stdout], stderr).toEqual([0, lines]);
    expect(stderr).toMatch(/^copied 1 file/m);
    await expect(readFile(path.join(folder, 'cut'))).resolves.toHaveLength(0);
    expect((await readFile(path.join(folder, 'calls'))).byteLength).toBeGreaterThan(2);
  });
});
