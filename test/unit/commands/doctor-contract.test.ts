import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { encodeJson } from '../../../src/core/json.ts';
import { contractDocument } from '../../../src/local/index.ts';
import { contractFolder } from '../../support/files/contract-folder.ts';
import { json, pointedAt, problem, reset, serve, text } from '../../support/servers/scripted-server.ts';
import { berth, type Ran } from '../../support/worlds/run-berth.ts';

/** The parts of a document that these tests change. */
interface Document {
  openapi: string;
  paths: Record<string, Record<string, OperationPart>>;
  components: { schemas: Record<string, SchemaPart> };
}
interface OperationPart {
  parameters?: unknown[];
  responses: Record<string, unknown>;
  requestBody?: { required?: boolean };
}
interface SchemaPart {
  type?: string;
  enum?: string[];
  required?: string[];
  properties: Record<string, Record<string, unknown>>;
}

/** A fresh copy of the document that berth was built from. */
const ownDocument = async (): Promise<Document> => JSON.parse(encodeJson(await contractDocument())) as Document;

const schemaOf = ({ components }: Document, name: string): SchemaPart => {
  const found = components.schemas[name];
  if (found === undefined) throw new Error(`there is no schema ${name}`);
  return found;
};

interface Row {
  readonly check: string;
  readonly result: string;
  readonly finding: string;
}

/** Runs the command against a server that publishes this, and gives its rows. */
async function compared(answer: Parameters<typeof serve>[0][number]): Promise<Ran & { readonly rows: readonly Row[] }> {
  const server = await serve([answer]);
  const ran = await berth(['doctor', '--contract', '--json'], { env: pointedAt(server.url) });
  expect(server.seen.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /v2/openapi.json']);
  return { ...ran, rows: JSON.parse(ran.out) as readonly Row[] };
}

/** The rows without the first, which is the sum. */
const differencesIn = ({ rows }: { readonly rows: readonly Row[] }): string[] =>
  rows.slice(1).map(({ result, check, finding }) => `${result} ${check} | ${finding}`);

describe('berth doctor --contract', () => {
  test('ends 0 with one row where the document is equal, also that of the local service', async () => {
    const ran = await compared(json(await ownDocument()));
    expect([ran.code, ran.rows]).toEqual([
      0,
      [{ check: 'contract', result: 'OK', finding: '60 of 60 operations, no difference', hint: null }],
    ]);
    const local = await berth(['doctor', '--contract'], { env: { BERTH_LOCAL: '1' } });
    expect([local.code, local.out]).toEqual([0, expect.stringContaining('60 of 60 operations, no difference')]);
  });

  const contract = join(contractFolder() ?? '', 'contract', 'openapi.json');
  test.skipIf(!existsSync(contract))('finds the contract equal (skipped where that is not there)', async () => {
    const ran = await compared(json(readFileSync(contract, 'utf8')));
    expect([ran.code, differencesIn(ran)]).toEqual([0, []]);
  });

  test.each<[string, (document: Document) => void, number, readonly string[]]>([
    [
      'an operation that was added',
      ({ paths }) => (paths['/v2/snapshots'] = { get: { responses: { '200': {} } } }),
      0,
      ['OK GET /v2/snapshots | a new operation, which berth does not know'],
    ],
    [
      'an operation that is gone',
      ({ paths }) => delete paths['/v2/pods/{id}']?.['delete'],
      7,
      ['WARNING DELETE /v2/pods/{id} | the operation is gone'],
    ],
    [
      'a required member of a request',
      (document) => {
        const request = schemaOf(document, 'CreateSecretRequest');
        request.properties['vault'] = { type: 'string' };
        request.required = [...(request.required ?? []), 'vault'];
      },
      7,
      ['WARNING POST /v2/account/secrets | body vault: new and required, and berth does not send it'],
    ],
    [
      'an optional member of a request and one of an answer',
      (document) => {
        schemaOf(document, 'CreateSecretRequest').properties['vault'] = { type: 'string' };
        schemaOf(document, 'Secret').properties['vault'] = { type: 'string' };
      },
      0,
      [
        expect.stringMatching(
          /^OK GET \/v2\/account\/secrets \| answer secrets\[\]\.vault: new, and berth does not know it/,
        ) as string,
        'OK POST /v2/account/secrets | body vault: new, and berth does not know it',
      ],
    ],
    [
      'a member that became required',
      (document) => {
        const request = schemaOf(document, 'CreateSecretRequest');
        request.required = Object.keys(request.properties);
      },
      7,
      ['WARNING POST /v2/account/secrets | body description: required now'],
    ],
    [
      'once a member of a schema that is gone from several answers',
      (document) => delete schemaOf(document, 'Secret').properties['name'],
      7,
      ['WARNING GET /v2/account/secrets | answer secrets[].name: gone (and in 3 more)'],
    ],
    [
      'a member of a list that looks like pages',
      (document) => {
        schemaOf(document, 'ListSecretsResponse').properties['continuation'] = { type: 'string' };
      },
      7,
      ['WARNING GET /v2/account/secrets | answer continuation: new, and looks like pages: a list may be incomplete'],
    ],
    [
      'a new state, and a new value that is only printed',
      (document) => {
        schemaOf(document, 'PodStatus').enum?.push('MIGRATING');
        schemaOf(document, 'GpuManufacturer').enum?.push('OTHER');
      },
      7,
      [
        expect.stringMatching(/^WARNING GET \/v2\/pods \| answer pods\[\]\.status: new value "MIGRATING"/) as string,
        expect.stringMatching(/^OK GET .*manufacturer: new value "OTHER"/) as string,
      ],
    ],
    [
      'a value that may no longer be sent and no longer comes',
      (document) => {
        schemaOf(document, 'PodAction').enum = ['start', 'stop', 'terminate'];
      },
      7,
      [
        'WARNING POST /v2/pods/{id}/action | body action: value "restart" gone',
        'OK GET /v2/pods | answer pods[].actions[]: value "restart" gone (and in 5 more)',
      ],
    ],
    [
      'a parameter that is required, under another name of the path',
      (document) => {
        const item = document.paths['/v2/pods/{id}'];
        delete document.paths['/v2/pods/{id}'];
        document.paths['/v2/pods/{podId}'] = item ?? {};
        item?.['get']?.parameters?.push({ in: 'query', name: 'team', required: true, schema: { type: 'string' } });
        if (item?.['get'] !== undefined)
          item['get'].parameters ??= [{ in: 'query', name: 'team', required: true, schema: { type: 'string' } }];
      },
      7,
      ['WARNING GET /v2/pods/{id} | parameter team: new and required, and berth does not send it'],
    ],
    [
      'bounds of a request that are tighter and looser',
      (document) => {
        const { properties } = schemaOf(document, 'CreateSecretRequest');
        properties['name'] = { ...properties['name'], minLength: 3 };
        properties['value'] = { ...properties['value'], minLength: 0 };
      },
      7,
      [
        'WARNING POST /v2/account/secrets | body name: minLength 3, was 1',
        'OK POST /v2/account/secrets | body value: minLength 0, was 1',
      ],
    ],
  ])('lists %s', async (_, change, code, expected) => {
    const document = await ownDocument();
    change(document);
    const ran = await compared(json(document));
    expect([ran.code, differencesIn(ran)]).toEqual([code, expected]);
  });

  test('in a table prints what to do below it, once', async () => {
    const document = await ownDocument();
    delete document.paths['/v2/account/secrets'];
    const server = await serve([json(document)]);
    const ran = await berth(['doctor', '--contract'], { env: pointedAt(server.url), tty: { stdout: true } });
    expect([ran.code, ran.err.match(/Look for a newer version of berth/g)?.length]).toEqual([7, 1]);
  });

  const deep = `{"paths":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`;
  test.each<[string, Parameters<typeof serve>[0][number], number, RegExp]>([
    ['a document that is missing', problem(404, 'not found'), 4, /publishes no document/],
    ['a refusal', problem(401, 'bad key'), 3, /401/],
    ['text', text('<html>hello</html>', 200, { 'content-type': 'text/html' }), 7, /is not an OpenAPI document/],
    ['JSON that is cut', json('{"paths": {'), 7, /./],
    ['an array', json('[1,2]'), 7, /is not an OpenAPI document/],
    ['null', json('null'), 7, /is not an OpenAPI document/],
    ['a document of something else', json({ paths: { '/hello': { get: {} } } }), 4, /none of the operations/],
    ['paths that are nested too deeply', json(deep), 4, /none of the operations/],
    ['a connection that breaks', reset, 7, /./],
  ])('has one row for %s', async (_, answer, code, says) => {
    const ran = await compared(answer);
    expect([ran.code, ran.rows, ran.err]).toEqual([
      code,
      [expect.objectContaining({ check: 'contract', result: 'ERROR', finding: expect.stringMatching(says) as string })],
      '',
    ]);
  });

  test('ends for references in circles, unions that multiply, and values of wrong kinds everywhere', async () => {
    const document = await ownDocument();
    const { schemas } = document.components as unknown as { schemas: Record<string, unknown> };
    schemas['Pod'] = { $ref: '#/components/schemas/Pod' };
    schemas['Secret'] = {
      allOf: [{ $ref: '#/components/schemas/Secret' }, { $ref: 'https://example.com/x' }, 7, null],
    };
    for (let index = 0; index < 40; index++) {
      const next = { $ref: `#/components/schemas/Wide${String(index + 1)}` };
      schemas[`Wide${String(index)}`] = { anyOf: [next, next], properties: { x: next } };
    }
    schemas['Endpoint'] = { $ref: '#/components/schemas/Wide0' };
    schemas['Template'] = { type: 5, enum: 'x', required: {}, properties: [1], items: false, minimum: 'no' };
    const paths = document.paths as Record<string, unknown>;
    paths['/v2/registries'] = null;
    paths['/v2/clusters'] = { get: 1, post: { responses: [], parameters: 'no', requestBody: 3 } };
    const ran = await compared(json(document));
    expect([ran.code, ran.err]).toEqual([7, '']);
  });

  test('lists 500 differences at most, and never prints a name as it came', async () => {
    const document = await ownDocument();
    for (let index = 0; index < 2000; index++)
      document.paths[`/v2/\u001b[2Jx${String(index)}`] = { get: { responses: {} } };
    const server = await serve([json(document)]);
    const ran = await berth(['doctor', '--contract'], { env: pointedAt(server.url), tty: { stdout: true } });
    expect([ran.code, ran.out.includes('\u001b[2J'), ran.out.includes('1500 more differences are not listed')]).toEqual(
      [0, false, true],
    );
  });
});
