import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { PAGES } from '../support/documents/pages.ts';
import { temporaryDirectory } from '../support/files/temporary-directory.ts';
import { createAccount } from '../support/worlds/local-account.ts';

// The recipes of the guide on guards that no shell of a test runs: cron, systemd, Kubernetes.

const page = PAGES.find(({ name }) => name === 'docs/guides/guard.md');
const blocks = page?.blocks ?? [];
const ofLanguage = (language: string): readonly string[] =>
  blocks.filter((block) => block.language === language).map(({ text }) => text);

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

it.skipIf(!hasSystemd)('systemd accepts the service and the timer', () => {
  const [service = '', timer = ''] = ofLanguage('ini');
  const folder = temporaryDirectory();
  const files = [
    [path.join(folder, 'berth-guard.service'), service],
    [path.join(folder, 'berth-guard.timer'), timer],
  ] as const;
  for (const [file, text] of files) writeFileSync(file, text);
  const { status, stderr } = spawnSync(
    'systemd-analyze',
    ['verify', '--user', '--man=no', ...files.map(([file]) => file)],
    {
      encoding: 'utf8',
      env: { ...process.env, XDG_RUNTIME_DIR: folder },
    },
  );
  expect([status, stderr]).toEqual([0, '']);
});

it('the YAML of the recipes is one document each', () => {
  const all = ofLanguage('yml').map((text) => parseDocument(text));
  expect(all.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
  expect(all.at(-1)?.toJS()).toMatchObject({ kind: 'CronJob', spec: { concurrencyPolicy: 'Forbid' } });
});

const lines = ['ini', 'yml', 'text'].flatMap((language) =>
  ofLanguage(language).flatMap((text) =>
    [...text.matchAll(/berth (guard run[^|'\n]*)/g)].map(([, line = '']) => line.trim()),
  ),
);

it.each(lines)('berth %s is a command that ends 0 on an account without a pod over a limit', async (line) => {
  const account = createAccount();
  for (const status of ['RUNNING', 'ERROR', 'STARTING', 'PROVISIONING'])
    await account(`pods terminate --status ${status} --force --yes`);
  const ran = await account(line);
  expect(ran.code, ran.err).toBe(0);
  // cron mails whatever is printed.
  if (line.includes('--quiet')) expect([ran.out, ran.err]).toEqual(['', '']);
});

/** A program `berth` that ends with the code in the variable CODE, in a folder of its own. */
function folderOfBerth(): string {
  const folder = temporaryDirectory();
  writeFileSync(path.join(folder, 'berth'), '#!/bin/sh\nexit "$CODE"\n', { mode: 0o755 });
  return folder;
}

interface Recipes {
  readonly spec: {
    readonly jobTemplate: {
      readonly spec: {
        readonly template: {
          readonly spec: { readonly containers: readonly { readonly command: readonly string[] }[] };
        };
      };
    };
  };
}

/** The first document of a language. */
const documentOf = (language: string): Recipes => parseDocument(ofLanguage(language).at(-1) ?? '').toJS() as Recipes;

it('the line of Kubernetes takes 15 for a success, and nothing else', () => {
  const [shell = '', ...words] = documentOf('yml').spec.jobTemplate.spec.template.spec.containers[0]?.command ?? [];
  const folder = folderOfBerth();
  const codes = [0, 15, 2, 7].map(
    (code) => spawnSync(shell, words, { env: { PATH: `${folder}:/usr/bin:/bin`, CODE: String(code) } }).status === 0,
  );
  expect(codes).toEqual([true, true, false, false]);
});
