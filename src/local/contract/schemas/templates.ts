import {
  closedExtended,
  cudaVersion,
  extended,
  filledText,
  flag,
  list,
  object,
  oneOfWords,
  partial,
  ref,
  text,
  type Schemas,
} from './schema.ts';

/** The published schemas of templates, names as on the wire. */
export const templatesSchemas: Schemas = {
  TemplateCategory: oneOfWords('CPU', 'NVIDIA', 'AMD'),
  Template: extended(
    'ContainerConfig',
    partial(
      {
        id: text,
        name: text,
        mounts: ref('TemplateMounts'),
        serverless: flag,
        public: flag,
        category: ref('TemplateCategory'),
        startSsh: flag,
        startJupyter: flag,
        allowedCudaVersions: list(text),
      },
      {
        required: [
          'id',
          'name',
          'image',
          'args',
          'disk',
          'mounts',
          'ports',
          'env',
          'registry',
          'serverless',
          'public',
          'category',
          'startSsh',
          'startJupyter',
          'allowedCudaVersions',
        ],
      },
    ),
  ),
  CreateTemplateRequest: closedExtended(
    'ContainerConfig',
    partial(
      {
        name: filledText,
        allowedCudaVersions: list(cudaVersion),
        category: { allOf: [ref('TemplateCategory')], default: 'NVIDIA' },
        mounts: ref('TemplateMounts'),
        public: { ...flag, default: false },
        serverless: { ...flag, default: false },
        startJupyter: { ...flag, default: true },
        startSsh: { ...flag, default: true },
      },
      { required: ['name', 'image'] },
    ),
  ),
  UpdateTemplateRequest: closedExtended(
    'ContainerConfig',
    partial({
      allowedCudaVersions: list(cudaVersion),
      category: ref('TemplateCategory'),
      mounts: ref('TemplateMounts'),
      name: filledText,
      public: flag,
      serverless: flag,
      startJupyter: flag,
      startSsh: flag,
    }),
  ),
  ListTemplatesResponse: object({ templates: list(ref('Template')), pagination: ref('Pagination') }),
};
