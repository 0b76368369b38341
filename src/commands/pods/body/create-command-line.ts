import {
  arrayOf,
  isObject,
  type Json,
  type JsonObject,
  memberAt,
  objectAt,
  objectOf,
  stringAt,
} from '../../../core/json.ts';
import { berth, type CommandLine, flags } from '../../../core/message.ts';
import { flagName, type Params } from '../../../cli/model/params.ts';
import type { Values } from '../../../cli/model/command.ts';
import { givenFlags } from '../../../cli/run/same-command.ts';
import { bodyOf } from '../../../cli/resource/body/field-writes.ts';
import { DEADLINE_ACTIONS, DEADLINE_VARIABLES } from '../../../guard/deadline.ts';
import { plainText } from '../../../output/cells/cell-functions.ts';
import { LEFT_OUT } from '../../shared/environment.ts';
import { POD_TABLE } from '../pod/fields.ts';

/**
 * The command line that sends a body without questions: `berth pods create --name lab ...`. `others` are the flags that are no
 * members of it, such as those that place it.
 */
export function createCommandLine(body: JsonObject, values: Values, others: Params): CommandLine {
  const members = Object.entries(bodyOf(POD_TABLE, 'create').members).flatMap(([key, { param, path, value }]) => {
    const given = memberAt(body, path);
    // Of several GPU types, only the first is in the body.
    if (key === 'gpu' && Array.isArray(values['gpu']) && values['gpu'].length > 1)
      return givenFlags({ gpu: param }, values);
    const isFlag = param.kind === 'flag' && (value === undefined || key === 'gpu') && given !== undefined;
    return isFlag ? flagWords(flagName(key), given, param.commas === true) : [];
  });
  return berth`pods create ${flags([...members, ...mountWords(body), ...envWords(body), ...givenFlags(others, values)])}`;
}

/** A switch is its flag alone; a list has its items separated by commas, or its flag for each item. */
function flagWords(flag: string, given: Json, commas: boolean): readonly string[] {
  if (given === true) return [flag];
  if (given === false) return [];
  const items = arrayOf(given);
  if (items !== undefined)
    return commas ? [flag, items.map(plainText).join(',')] : items.flatMap((item) => [flag, plainText(item)]);
  return isObject(given) ? [] : [flag, plainText(given)];
}

function mountWords(body: JsonObject): readonly string[] {
  const network = memberAt(body, 'mounts.network.0');
  const persistent = objectAt(body, 'mounts.persistent');
  if (network !== undefined)
    return ['--network-volume', `${stringAt(network, 'volumeId') ?? ''}:${stringAt(network, 'path') ?? ''}`];
  if (persistent === undefined) return [];
  return ['--persistent-size', plainText(persistent['size']), '--mount-path', plainText(persistent['path'])];
}

/** The values are left out, because a variable may hold a secret; deadlines are flags. */
const envWords = (body: JsonObject): readonly string[] =>
  Object.entries(objectOf(body['env']) ?? {}).flatMap(([name, value]) => {
    const deadline = DEADLINE_ACTIONS.find((action) => DEADLINE_VARIABLES[action] === name);
    return deadline === undefined ? ['--env', `${name}=${LEFT_OUT}`] : [`--${deadline}-after`, plainText(value)];
  });
