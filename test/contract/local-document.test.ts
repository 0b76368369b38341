import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { encodeJson } from '../../src/core/json.ts';
import { allSchemas } from '../../src/local/contract/index.ts';
import { ROWS } from '../../src/local/contract/rows.ts';
import { openApiDocument } from '../../src/local/http/router.ts';
import type { Operation } from '../../src/local/http/operation.ts';
import { createTable } from '../../src/local/table.ts';
import { contractFolder } from '../support/files/contract-folder.ts';
import { temporaryDirectory } from '../support/files/temporary-directory.ts';

/** The tool that compares with the contract; undefined if the contract is not there. */
const TOOL = join(contractFolder() ?? '', 'tools', 'contract-diff.mjs');

const implemented = createTable({ queueLimits: false }).filter(({ tag }) => tag !== undefined);

/** The output lines of the comparison of a published document; the last line is the total. */
async function differences(operations: readonly Operation[]): Promise<string[]> {
  const file = join(temporaryDirectory(), 'openapi.json');
  await writeFile(file, encodeJson(openApiDocument(operations)));
  const run = promisify(execFile)(process.execPath, [TOOL, file, '--limit', '10000']);
  const { stdout } = await run.catch((error: unknown) => error as { stdout: string });
  return stdout.trim().split('\n');
}

describe('the published document', () => {
  it('consists of valid schemas, and every reference resolves', () => {
    const document = JSON.parse(encodeJson(openApiDocument(implemented))) as { components: { schemas: object } };
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    for (const [name, schema] of Object.entries(allSchemas))
      expect([name, ajv.validateSchema(schema)]).toEqual([name, true]);
    ajv.addSchema({ ...document, $id: 'published' });
    for (const name of Object.keys(document.components.schemas))
      expect(() => ajv.compile({ $ref: `published#/components/schemas/${name}` })).not.toThrow();
    const named = [...encodeJson(openApiDocument(implemented)).matchAll(/"#\/components\/schemas\/(\w+)"/g)];
    expect(Object.keys(document.components.schemas)).toEqual(expect.arrayContaining(named.map(([, name]) => name)));
  });

  it('has each operation of the contract once, with the same id', () => {
    const rows = Object.entries(ROWS).map(([id, { method, path }]) => `${id} ${method} ${path}`);
    const own = implemented.map(({ id, method, path }) => `${id} ${method} ${path}`);
    expect(own.toSorted()).toEqual(rows.toSorted());
    expect(new Set(own).size).toBe(own.length);
  });
});

describe.skipIf(!existsSync(TOOL))(
  'the published document beside the contract (skipped where that is not there)',
  () => {
    it('is equal to the contract', async () => {
      expect(await differences(implemented)).toEqual(['60 of 60 operations equal, 0 differences']);
    });
  },
);
