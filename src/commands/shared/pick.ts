import type { Ask } from '../../cli/parse/params.ts';

type Pickers = typeof import('./pickers.ts');
type PickerName = Exclude<keyof Pickers, 'catalogRow'>;

/** A question answered from a list of the service. The lists are loaded when the question is asked. */
export const pick = (question: string, list: PickerName): Ask => ({
  kind: 'pick',
  question,
  choices: async (ctx) => await (await import('./pickers.ts'))[list](ctx),
});
