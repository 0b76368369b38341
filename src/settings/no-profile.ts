import { type Failure, usage } from '../core/failure.ts';
import { berth, sentence } from '../core/message.ts';
import { suggestName } from '../core/text/nearest.ts';

/** The failure (usage, 2) for a profile that is not among the profiles `known` of the configuration file at `path`. */
export function noProfile(name: string, known: readonly string[], path: string): Failure {
  const suggestion = suggestName(name, known);
  const all = known.length === 0 ? 'There are none' : `There are: ${known.join(', ')}`;
  return usage(
    `there is no profile ${JSON.stringify(name)} in ${path}`,
    sentence`${suggestion === undefined ? '' : `${suggestion} `}${all}. Make it with: ${berth`auth login --profile ${name}`}`,
  );
}
