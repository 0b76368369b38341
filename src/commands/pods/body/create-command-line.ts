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
import { flagName } from '../../../cli/parse/params.ts';
import { bodyOf } from '../../../cli/resource/field-writes.ts';
import { plainText } from '../../../output/layout/cell-functions.ts';
import { POD_TABLE } from '../fields.ts';

/** The command line that sends a body without questions: `berth pods create --name lab --gpu GPU-24G ...`. */
export function createCommandLine(body: JsonObject): CommandLine {
  const given = Object.entries(bodyOf(POD_TABLE, 'create').members).flatMap(([key, { path, value }]) => {
    const member = memberAt(body, path);
    return member === undefined || value !== undefined ? [] : flagWords(flagName(key), member);
  });
  return berth`pods create ${flags([...given, ...mountWords(body), ...envWords(body)])}`;
}

/** A switch is its flag alone, a list has its items separated by commas. */
function flagWords(flag: string, given: Json): readonly string[] {
  if (given === true) return [flag];
  if (given === false) return [];
  const items = arrayOf(given);
  if (items !== undefined) return [flag, items.map(plainText).join(',')];
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

/** The values are left out, because a variable may hold a secret. */
const envWords = (body: JsonObject): readonly string[] =>
  Object.keys(objectOf(body['env']) ?? {}).flatMap((name) => ['--env', `${name}=...`]);
