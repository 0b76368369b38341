import { usage } from '../../core/failure.ts';
import { flagName } from '../../cli/model/params.ts';

/** The amount of a flag in US dollars, above 0. Fails with usage (2). */
export function dollarsOf(key: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const amount = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && amount > 0) return amount;
  throw usage(`${flagName(key)} is not an amount in US dollars: ${JSON.stringify(text)}`, 'Write 2.50.');
}
