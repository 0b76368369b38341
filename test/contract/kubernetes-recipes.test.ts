import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { parseDocument } from 'yaml';
import { PAGES, ROOT } from '../support/documents/pages.ts';

// The documents for Kubernetes in the guides and beside them, as a real kubectl reads them. It needs no cluster for that: it reads a document by
// the types of its own version, and prints what it knows of it.

/** Kubernetes has CronJob in batch/v1 since 1.21. */
const OLDEST_MINOR = 21;

const kubectl = (words: readonly string[], input = '') =>
  spawnSync('kubectl', ['--kubeconfig=/dev/null', ...words], { encoding: 'utf8', input });

const version = kubectl(['version', '--client', '-o', 'json']).stdout;
const minor = Number(/"minor": "(\d+)/.exec(version)?.[1] ?? '0');
const skipWhy =
  minor >= OLDEST_MINOR ? undefined : version === '' ? 'kubectl is not installed' : `kubectl 1.${minor} is too old`;

const JOB = 'docs/schedulers/kubernetes.yaml';
const inPages = PAGES.flatMap(({ name, blocks }) =>
  blocks.filter(({ text }) => /^apiVersion:/m.test(text)).map(({ text }) => [name, text] as const),
);
const documents = [[JOB, readFileSync(path.join(ROOT, JOB), 'utf8')] as const, ...inPages];

/** What kubectl makes of a document: with another image in each container, as `kubectl set image` does it. */
const readBy = (text: string) => kubectl(['set', 'image', '--local', '-f', '-', '*=another', '-o', 'json'], text);

/** The same change to what is written. */
const expected = (text: string): unknown => parseDocument(text.replaceAll(/image: .*/g, 'image: another')).toJS();

it('finds the documents for Kubernetes of the guides', () => {
  expect(inPages.map(([name]) => name)).toEqual(['docs/guides/guard.md']);
});

describe.each(documents)('%s', (_, text) => {
  test('is read by kubectl, which knows each member', ({ skip }) => {
    if (skipWhy !== undefined) return skip(skipWhy);
    const { status, stdout, stderr } = readBy(text);
    expect([status, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject(expected(text) as object);
  });

  test('has pods that end, as a Job needs', () => {
    expect(JSON.stringify(expected(text))).toMatch(/"restartPolicy":"(Never|OnFailure)"/);
  });
});
