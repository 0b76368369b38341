import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { CONTROL_BODIES } from '../../src/local/http/schema-checks.ts';
import { contract } from '../../src/local/contract/document.ts';
import { ROWS } from '../../src/local/contract/rows.ts';
import { createTable } from '../../src/local/table.ts';
import { localFixture } from '../support/local/service-fixture.ts';

it('the contract consists of valid schemas, and every reference resolves', () => {
  const { schemas } = contract.components;
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  for (const [name, schema] of Object.entries({ ...schemas, ...CONTROL_BODIES }))
    expect([name, ajv.validateSchema(schema)]).toEqual([name, true]);
  ajv.addSchema({ ...contract, $id: 'contract' });
  const all = Object.keys(schemas).map((name) => ({ $ref: `contract#/components/schemas/${name}` }));
  expect(() => ajv.compile({ anyOf: all })).not.toThrow();
});

it('the local service has each of the 74 operations of the contract once', () => {
  const own = createTable({ queueLimits: false }).map(({ id }) => id);
  expect(ROWS.size).toBe(74);
  expect(own.filter((id) => ROWS.has(id)).toSorted()).toEqual([...ROWS.keys()].toSorted());
});

it('it publishes the contract as it is', async () => {
  expect((await localFixture().send('GET', '/v2/openapi.json', undefined, null)).body).toEqual(contract);
});
