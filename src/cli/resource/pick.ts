import type { Ask } from '../model/params.ts';
import type * as pickers from './pickers.ts';

type ListName = Exclude<keyof typeof pickers, 'catalogRow'>;

/** The lists are loaded when the question is asked. */
export const pick = (question: string, list: ListName): Ask => ({
  kind: 'pick',
  question,
  choices: async (ctx) => await (await import('./pickers.ts'))[list](ctx),
});
