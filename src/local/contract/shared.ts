import { closed, list, object, oneOfWords, orNull, ref, text, whole, type Schemas } from './schema.ts';

/** The published schemas that several groups share: containers, mounts, compute, errors. Names as on the wire. */
export const sharedSchemas: Schemas = {
  BaseContainerConfig: object([], {
    args: text,
    disk: { ...whole, minimum: 1 },
    env: { type: 'object', additionalProperties: text },
    image: text,
    ports: list(text),
  }),
  ContainerConfig: { allOf: [ref('BaseContainerConfig'), object([], { registry: orNull('string') })] },
  Mounts: closed([], { persistent: ref('PersistentMount'), network: list(ref('NetworkMount'), { maxItems: 1 }) }),
  TemplateMounts: closed([], { persistent: ref('PersistentMount') }),
  PersistentMount: closed(['size', 'path'], { size: { ...whole, minimum: 10 }, path: text }),
  NetworkMount: closed(['volumeId', 'path'], { volumeId: text, path: text }),
  GpuConfig: object(['id'], { id: text, count: { ...whole, minimum: 1, default: 1 } }),
  CreateGpuConfig: {
    allOf: [
      ref('GpuConfig'),
      object([], {
        allowedCudaVersions: list({ ...text, pattern: '^\\d+\\.\\d+$' }),
        minCudaVersion: { ...text, pattern: '^\\d+\\.\\d+$' },
      }),
    ],
    unevaluatedProperties: false,
  },
  BaseCpuConfig: object(['id', 'vcpuCount'], { id: { ...text, minLength: 1 }, vcpuCount: { ...whole, minimum: 2 } }),
  CreateCpuConfig: { allOf: [ref('BaseCpuConfig')], unevaluatedProperties: false },
  CpuConfig: { allOf: [ref('BaseCpuConfig'), object(['memory'], { memory: { ...whole, minimum: 1 } })] },
  Cloud: oneOfWords('SECURE', 'COMMUNITY'),
  ErrorResponse: object(['title', 'status', 'detail'], {
    title: text,
    status: whole,
    detail: text,
    errors: list(text),
  }),
  RateLimitHeader: text,
  RateLimitPolicyHeader: text,
};
