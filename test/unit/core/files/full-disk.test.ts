import { expect, it } from 'vitest';
import { toFailure } from '../../../../src/core/files.ts';

it.each(['ENOSPC', 'EDQUOT'])('a write that nobody expects to fail ends 14 on a full disk: %s', (code) => {
  const error = Object.assign(new Error(`${code}: write`), { code });
  expect(toFailure(error)).toMatchObject({ exit: 14, message: 'cannot continue: the disk is full' });
});
