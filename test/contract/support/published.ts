import { Ajv2020 } from 'ajv/dist/2020.js';
import { localFixture, type Answer } from '../../support/local/service-fixture.ts';

interface Response {
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}

type Responses = Readonly<Record<string, Response & { readonly $ref?: string }>>;

interface Document {
  readonly components: { readonly responses: Readonly<Record<string, Response>> };
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly operationId?: string; readonly responses?: Responses }>>>
  >;
}

/** Validates answers against the published document. */
export interface Published {
  /** The responses of each operation: by operation id, then by status. */
  readonly operations: ReadonlyMap<string, Responses>;
  /** Returns the violation of an answer of an operation; undefined if it is valid. */
  readonly objections: (id: string, answer: Answer) => unknown;
}

/** Uses only the published document, no code of the service. */
export async function readPublished(): Promise<Published> {
  const { body } = await localFixture().send('GET', '/v2/openapi.json', undefined, null);
  const document = body as unknown as Document;
  const operations = new Map(
    Object.values(document.paths)
      .flatMap((path) => Object.values(path))
      .flatMap(({ operationId, responses = {} }) => (operationId === undefined ? [] : [[operationId, responses]])),
  ) as ReadonlyMap<string, Responses>;

  const ajv = new Ajv2020({ strict: false, allErrors: true });
  for (const format of ['date-time', 'uri', 'float', 'double']) ajv.addFormat(format, true);
  ajv.addSchema({ ...document, $id: 'published' });

  return {
    operations,
    objections: (id, answer) => {
      const responses = operations.get(id);
      if (responses === undefined) return `${id} is not published`;
      const found = responses[String(answer.status)] ?? responses['default'];
      const described = document.components.responses[found?.$ref?.split('/').at(-1) ?? ''] ?? found;
      const type = answer.headers.get('content-type') ?? '';
      const content = described?.content?.[type];
      if (content === undefined)
        return answer.text === '' && described?.content === undefined ? undefined : `no ${type}`;
      const schema = JSON.stringify(content.schema).replaceAll('"#/', '"published#/');
      const check = ajv.compile(JSON.parse(schema) as object);
      return check(type.includes('json') ? answer.body : answer.text) ? undefined : check.errors;
    },
  };
}
