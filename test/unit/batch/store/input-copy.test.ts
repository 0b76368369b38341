import { describe, expect, test } from 'vitest';
import { writeSyncedFile } from '../../../../src/batch/bytes/synced-files.ts';
import { inputCopyPath, journalPath } from '../../../../src/batch/store/paths.ts';
import { beginFiles, headerOf } from '../../../support/batch/begin-batch.ts';
import type { OpenBatch } from '../../../../src/batch/store/open-batch.ts';
import type { DurableFiles } from '../../../../src/core/context.ts';
import { items } from '../../../support/batch/command-fixture.ts';
import { afterKill, afterPowerCut, memoryFiles, createKillableFiles } from '../../../support/batch/memory-files.ts';

describe('a copy of the input', () => {
  const header = headerOf(1, {
    input: {
      copied: true,
      inputs: [{ path: 'r.journal.input', bytes: 8, format: 'jsonl', firstItem: 1, items: 1, digest: '' }],
    },
  });
  const begin = (durable: DurableFiles): Promise<OpenBatch> =>
    beginFiles(durable, 'r', header, () => writeSyncedFile(durable, inputCopyPath('r'), [Buffer.from(items(1))]));

  test.each([
    ['killed', afterKill],
    ['without power', afterPowerCut],
  ])('is there with its journal, wherever the process that makes both is %s', async (_, after) => {
    const seen = { journal: 0, none: 0 };
    for (let killedAt = 1, alive = false; !alive; killedAt++) {
      const files = memoryFiles();
      const hand = createKillableFiles(files, killedAt);
      await begin(hand).catch(() => undefined);
      alive = hand.alive();
      const left = after(files);
      const begun = left.files.has(journalPath('r'));
      seen[begun ? 'journal' : 'none'] += 1;
      if (!begun) await begin(left);
      expect(left.text(inputCopyPath('r')), hand.done.at(-1)).toBe(items(1));
    }
    expect(seen).toEqual({ journal: 4, none: 11 });
  });

  test.each([inputCopyPath('r'), `${journalPath('r')}.new`])('is removed when the disk is full at %s', async (at) => {
    const files = memoryFiles();
    files.disk = (path, bytes) => (path === at ? { takes: 3, error: 'ENOSPC' } : { takes: bytes });
    await expect(begin(files)).rejects.toMatchObject({ exit: 14 });
    expect([...files.files.keys()].filter((path) => path !== 'r')).toEqual([]);
  });
});
