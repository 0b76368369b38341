import { expect, it } from 'vitest';
import { toFailure } from '../../../../src/core/load-failure.ts';

it.each(['ENOSPC', 'EDQUOT'])('a write that nobody expects to fail ends 14 on a full disk: %s', (code) => {
  const error = Object.assign(new Error(`${code}: write`), { code });
  expect(toFailure(error)).toMatchObject({ exit: 14, message: 'cannot go on: the disk is full' });
});
