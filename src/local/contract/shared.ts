import {
  closed,
  closedExtended,
  cudaVersion,
  extended,
  filledText,
  list,
  object,
  oneOfWords,
  orNull,
  partial,
  positive,
  ref,
  text,
  whole,
  type Schemas,
} from './schema.ts';

/** The published schemas that several groups share: containers, mounts, compute, errors. Names as on the wire. */
export const sharedSchemas: Schemas = {
  BaseContainerConfig: partial({
    args: text,
    disk: positive,
    env: { type: 'object', additionalProperties: text },
    image: text,
    ports: list(text),
  }),
  ContainerConfig: extended('BaseContainerConfig', partial({ registry: orNull('string') })),
  Mounts: closed({}, { persistent: ref('PersistentMount'), network: list(ref('NetworkMount'), { maxItems: 1 }) }),
  TemplateMounts: closed({}, { persistent: ref('PersistentMount') }),
  PersistentMount: closed({ size: { ...whole, minimum: 10 }, path: text }),
  NetworkMount: closed({ volumeId: text, path: text }),
  GpuConfig: object({ id: text }, { count: { ...positive, default: 1 } }),
  CreateGpuConfig: closedExtended(
    'GpuConfig',
    partial({
      allowedCudaVersions: list(cudaVersion),
      minCudaVersion: cudaVersion,
    }),
  ),
  BaseCpuConfig: object({ id: filledText, vcpuCount: { ...whole, minimum: 2 } }),
  CreateCpuConfig: { allOf: [ref('BaseCpuConfig')], unevaluatedProperties: false },
  CpuConfig: extended('BaseCpuConfig', object({ memory: positive })),
  Cloud: oneOfWords('SECURE', 'COMMUNITY'),
  ErrorResponse: object({ title: text, status: whole, detail: text }, { errors: list(text) }),
  RateLimitHeader: text,
  RateLimitPolicyHeader: text,
};
