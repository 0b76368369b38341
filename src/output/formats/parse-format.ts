import { usage } from '../../core/failure.ts';
import { FORMATS, type Format } from '../view.ts';

/** The format that `-o` names. Fails with usage (2), naming the choices. */
export function parseFormat(text: string): Format {
  const found = FORMATS.find((format) => format === text.trim().toLowerCase());
  if (found === undefined)
    throw usage(`there is no output format ${JSON.stringify(text)}`, `Use one of ${FORMATS.join(', ')}.`);
  return found;
}
