/** Random documents of a fleet that can be made: the service refuses none of them. */
import fc from 'fast-check';

export interface FleetDocument {
  readonly kind: string;
  readonly name: string;
  readonly [member: string]: unknown;
}

/** Names that YAML, JavaScript or a shell could take for something else. */
const NAMES = ['constructor', '__proto__', '1e3', 'no', 'a: b', '- x', '${HOME}', 'ünï ☃', "it's", 'null'] as const;

const texts = fc.oneof(
  fc.constantFrom('1', 'true', 'no', '1e3', '~', '', ' a ', '#x', '${HOME}', '$${HOME}', 'two\nlines', 'tab\t', '☃'),
  fc.string({ maxLength: 8 }),
);
/** In a document, `${NAME}` is a variable. */
const written = texts.map((text) => text.replaceAll('${', () => '$${'));

const words = fc.constantFrom('python', '-u', 'a b', '$X', "it's", '"', '1', '');
const command = fc.oneof(
  fc.constant({}),
  fc.record({ args: fc.constantFrom('python a.py', "sh -c 'a b'", '') }),
  fc.record({ cmd: fc.array(words, { maxLength: 3 }) }),
  fc.record({ cmd: fc.array(words, { maxLength: 3 }), entrypoint: fc.array(words, { minLength: 1, maxLength: 2 }) }),
);

const container = fc
  .tuple(
    fc.record(
      {
        image: fc.constantFrom('a/b:1', 'a/b:2', 'example/c@sha256:00'),
        disk: fc.integer({ min: 20, max: 60 }),
        ports: fc.uniqueArray(fc.constantFrom('8080/http', '22/tcp', '8081/http', '9000/tcp'), { maxLength: 3 }),
        env: fc.dictionary(fc.constantFrom('A', 'B', '__proto__', 'constructor', 'MODE'), written, {
          maxKeys: 4,
          noNullPrototype: true,
        }),
        registry: fc.constantFrom('hub', null),
      },
      { requiredKeys: ['image'] },
    ),
    command,
  )
  .map(([members, given]) => ({ ...members, ...given }));

const optional = <T>(members: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(members, { requiredKeys: [] });

const template = fc
  .tuple(
    container,
    optional({
      category: fc.constantFrom('CPU', 'NVIDIA', 'AMD'),
      allowedCudaVersions: fc.uniqueArray(fc.constantFrom('12.4', '12.8', '12.10'), { maxLength: 3 }),
      mounts: fc.oneof(
        fc.constant(null),
        fc.record({ persistent: fc.record({ size: fc.integer({ min: 10, max: 50 }), path: fc.constant('/data') }) }),
      ),
      public: fc.boolean(),
      startSsh: fc.boolean(),
      startJupyter: fc.boolean(),
    }),
  )
  .map(([base, more]) => ({ kind: 'template', ...base, ...more }));

/** Another form of CUDA versions or of scaling is another document: the service has no update from one to the other. */
const endpoint = fc
  .tuple(
    container,
    optional({
      timeout: fc.integer({ min: 5000, max: 900_000 }),
      flashboot: fc.constantFrom('OFF', 'FLASHBOOT'),
      dataCenterIds: fc.uniqueArray(fc.constantFrom('EU-NORTH-1', 'US-WEST-1', 'EU-WEST-1'), { maxLength: 3 }),
      workers: optional({ min: fc.integer({ min: 0, max: 1 }), max: fc.integer({ min: 1, max: 5 }) }),
      scaling: fc.oneof(
        fc.record({ type: fc.constant('QUEUE_DELAY'), queueDelay: fc.integer({ min: 1, max: 60 }) }),
        fc.record({ type: fc.constant('REQUEST_COUNT'), requestCount: fc.integer({ min: 1, max: 9 }) }),
      ),
    }),
    optional({
      pools: fc.uniqueArray(fc.constantFrom('POOL-24G', 'POOL-80G'), { minLength: 1 }),
      count: fc.integer({ min: 1, max: 2 }),
      allowedCudaVersions: fc.uniqueArray(fc.constantFrom('12.4', '12.8'), { maxLength: 2 }),
    }),
  )
  .map(([base, more, gpu]) => ({ kind: 'endpoint', ...base, ...more, gpu: { pools: ['POOL-24G'], ...gpu } }));

const pod = fc
  .tuple(container, optional({ locked: fc.constant(false) }), fc.boolean())
  .map(([base, more]) => ({ kind: 'pod', ...base, ...more }));

/** What a pod of each name has that nothing can change. */
const FIXED: readonly Readonly<Record<string, unknown>>[] = [
  { gpu: { id: 'GPU-24G' } },
  { gpu: { id: 'GPU-24G', count: 2 }, mounts: { persistent: { size: 20, path: '/data' } } },
  { cpu: { id: 'cpu-general', vcpuCount: 4 } },
  { gpu: { id: 'GPU-24G' }, dataCenterIds: ['EU-NORTH-1'], volume: 'base:/workspace' },
];

/** What all fleets have, so that references have an end. */
export const BASE: readonly FleetDocument[] = [
  { kind: 'registry', name: 'hub', username: 'me', password: 'p' },
  { kind: 'volume', name: 'base', size: 10, dataCenter: 'EU-NORTH-1' },
];

/** A fleet: of each kind and name at most one document. */
export const fleets: fc.Arbitrary<readonly FleetDocument[]> = fc
  .uniqueArray(
    fc.tuple(fc.integer({ min: 0, max: NAMES.length - 1 }), fc.oneof(template, endpoint, pod)).map(([at, body]) => ({
      ...body,
      ...(body.kind === 'pod' ? FIXED[at % FIXED.length] : {}),
      name: (NAMES[at] ?? '').replace('${', () => '$${'),
    })),
    { selector: ({ kind, name }) => `${kind} ${name}`, minLength: 1, maxLength: 6 },
  )
  .map((documents) => [...BASE, ...documents] as readonly FleetDocument[]);
