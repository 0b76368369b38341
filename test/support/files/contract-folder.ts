import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

const BESIDE = resolve(import.meta.dirname, '../../../..');

/**
 * The folder that holds the contract (`contract/openapi.json`, `tools/contract-diff.mjs`): BERTH_CONTRACT_DIR, or any
 * folder beside the checkout that has one. Undefined elsewhere: what compares with it is skipped and says so.
 */
export function contractFolder(): string | undefined {
  const named = process.env['BERTH_CONTRACT_DIR'];
  const places = named === undefined ? readdirSync(BESIDE).map((name) => join(BESIDE, name)) : [named];
  return places.find((place) => existsSync(join(place, 'contract', 'openapi.json')));
}
