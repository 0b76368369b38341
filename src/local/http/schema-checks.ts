import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { FAULT_KINDS, FAULT_SETTINGS } from '../../core/fault-kinds.ts';
import { contract, type Schema } from '../contract/document.ts';

const text: Schema = { type: 'string', minLength: 1 };
const integer = (minimum: number, maximum?: number): Schema => ({
  type: 'integer',
  minimum,
  ...(maximum === undefined ? {} : { maximum }),
});

/** Milliseconds of the service's clock. */
const MAX_SPAN = 31_536_000_000_000;
const span = integer(1, MAX_SPAN);
const percent = integer(0, 100);

const closed = (required: object, optional: object = {}): Schema => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(required),
  properties: { ...required, ...optional },
});

/** With for how long it holds, and after which time it holds again. */
const hardwareChange = (value: object, where: object): Schema => ({
  ...closed({ hardware: text, ...value }, { ...where, forMs: span, everyMs: span }),
  dependentRequired: { everyMs: ['forMs'] },
});

/** Bodies outside the contract: the older volume API, and the local service's own control requests. */
export const CONTROL_BODIES: Readonly<Record<string, Schema>> = {
  LegacyVolumeRequest: closed({ name: text, size: integer(10, 4096), dataCenterId: text }),
  LocalBuildRequest: closed(
    { status: { $ref: '#/components/schemas/BuildStatus' } },
    { ...(contract.components.schemas['Build']?.['properties'] as object), id: text },
  ),
  LocalClockRequest: closed({ advanceMs: integer(0, MAX_SPAN) }),
  LocalUseRequest: closed({}, { gpu: percent, cpu: percent, memory: percent, forMs: span }),
  LocalStockRequest: hardwareChange({ free: integer(0, 1_000_000) }, { dataCenter: text }),
  LocalPriceRequest: hardwareChange(
    { price: { type: 'number', minimum: 0, maximum: 1_000_000 } },
    { cloud: { enum: ['SECURE', 'COMMUNITY'] } },
  ),
  LocalFaultRequest: closed(
    { kind: { enum: FAULT_KINDS } },
    {
      count: integer(1),
      probability: { type: 'number', exclusiveMinimum: 0, maximum: 1 },
      match: { ...text, pattern: '^\\s*[A-Za-z]*\\s*(/.*)?$' },
      endpoint: text,
      detail: text,
      ...Object.fromEntries(
        Object.entries<{ minimum: number; maximum?: number }>(FAULT_SETTINGS).map(([member, { minimum, maximum }]) => [
          member,
          integer(minimum, maximum),
        ]),
      ),
    },
  ),
};

/** Known before the contract had it (additions of November, 16). */
const withGlobalVolumes = (name: string): Schema => {
  const { allOf, ...rest } = contract.components.schemas[name] as Schema & { readonly allOf: readonly Schema[] };
  const globalVolumes = { type: 'array', maxItems: 1, items: { type: 'string' } };
  return { ...rest, allOf: [...allOf, { properties: { globalVolumes } }] };
};

const allSchemas: Readonly<Record<string, Schema>> = {
  ...contract.components.schemas,
  CreateEndpointRequest: withGlobalVolumes('CreateEndpointRequest'),
  UpdateEndpointRequest: withGlobalVolumes('UpdateEndpointRequest'),
  ...CONTROL_BODIES,
};

const DATE_TIME = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

/** Ajv does not support the mapping of a discriminator. Here it only repeats what the branches say. */
function withoutMapping(schema: Schema): Schema {
  const { discriminator, ...rest } = schema as { discriminator?: { propertyName: string } } & Schema;
  return discriminator === undefined
    ? schema
    : {
        ...rest,
        type: 'object',
        required: [discriminator.propertyName],
        discriminator: { propertyName: discriminator.propertyName },
      };
}

/** Each schema is compiled when it is first used. The tests check that they are valid, so this does not. */
const ajv = new Ajv2020({ allErrors: true, strict: false, verbose: true, discriminator: true, validateSchema: false });
ajv.addFormat('date-time', (text) => DATE_TIME.test(text) && Number.isFinite(Date.parse(text)));
ajv.addFormat('uri', (text) => URL.canParse(text));
ajv.addFormat('float', true);
ajv.addFormat('double', true);
ajv.addSchema({
  $id: 'contract',
  components: {
    schemas: Object.fromEntries(Object.entries(allSchemas).map(([name, schema]) => [name, withoutMapping(schema)])),
  },
});

const compiled = new Map<string | Schema, ValidateFunction>();

function checkOf(schema: string | Schema): ValidateFunction {
  const check =
    typeof schema === 'string'
      ? ajv.getSchema(`contract#/components/schemas/${schema}`)
      : ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"contract#/')) as Schema);
  if (check === undefined) throw new Error(`the table has no schema ${JSON.stringify(schema)}`);
  compiled.set(schema, check);
  return check;
}

/** The distinct errors, each a JSON path and a reason (specification 7.1); none when the value is valid. */
export function reasonsOf(schema: string | Schema, value: unknown): readonly string[] {
  const check = compiled.get(schema) ?? checkOf(schema);
  return check(value) ? [] : [...new Set((check.errors ?? []).flatMap((error) => reason(error) ?? []))];
}

function reason({ keyword, instancePath, params, message, parentSchema }: ErrorObject): string | undefined {
  const at = (member?: unknown): string =>
    typeof member === 'string' ? `${instancePath}/${pointer(member)}` : instancePath || '/';
  const details = params as Readonly<Record<string, unknown>>;
  switch (keyword) {
    // The keyword that failed inside reports the error.
    case 'if':
    case 'anyOf':
      return undefined;
    case 'oneOf':
      return details['passingSchemas'] === null ? undefined : `${at()}: fits more than one of the forms it may have`;
    case 'required':
      return `${at()}: missing required member ${JSON.stringify(details['missingProperty'])}`;
    case 'additionalProperties':
      return `${at(details['additionalProperty'])}: unknown member, not allowed`;
    case 'unevaluatedProperties':
      // Ajv marks no member of a failed allOf branch as evaluated; its errors are reported separately.
      return knownMembers(parentSchema as Schema).includes(details['unevaluatedProperty'] as string)
        ? undefined
        : `${at(details['unevaluatedProperty'])}: unknown member, not allowed`;
    case 'enum':
      return `${at()}: must be one of ${(details['allowedValues'] as readonly unknown[]).join(', ')}`;
    default:
      return `${at()}: ${message ?? keyword}`;
  }
}

function knownMembers(schema: Schema): readonly string[] {
  const {
    $ref,
    allOf = [],
    properties = {},
  } = schema as { $ref?: string; allOf?: readonly Schema[]; properties?: object };
  const named = $ref === undefined ? undefined : allSchemas[$ref.slice($ref.lastIndexOf('/') + 1)];
  return [
    ...Object.keys(properties),
    ...allOf.flatMap((part) => knownMembers(part)),
    ...(named === undefined ? [] : knownMembers(named)),
  ];
}

const pointer = (member: string): string => member.replaceAll('~', '~0').replaceAll('/', '~1');
