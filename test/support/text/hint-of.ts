import { expect } from 'vitest';
import type { Failure } from '../../../src/core/failure.ts';
import { NO_WORDS, printed } from '../../../src/core/message.ts';

/** The hint of a failure as it is printed where no flag chose the account. */
export const hintOf = ({ hint }: Pick<Failure, 'hint'>): string => printed(hint ?? '', { accountWords: NO_WORDS });

/** Matches a hint that contains a text as it is printed. */
export const hintWith = (text: string): unknown =>
  expect.toSatisfy((hint: Failure['hint']) => hintOf({ hint }).includes(text), `to contain ${text}`);
