import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

const BESIDE = resolve(import.meta.dirname, '../../../..');

/**
 * Returns the folder with the contract (`contract/openapi.json`, `tools/contract-diff.mjs`): BERTH_CONTRACT_DIR, or any
 * folder beside the checkout that has one. Undefined if there is none: the tests that compare with it are then skipped.
 */
export function contractFolder(): string | undefined {
  const named = process.env['BERTH_CONTRACT_DIR'];
  const places = named === undefined ? readdirSync(BESIDE).map((name) => join(BESIDE, name)) : [named];
  return places.find((place) => existsSync(join(place, 'contract', 'openapi.json')));
}
