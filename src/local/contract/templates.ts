import { flag, list, object, oneOfWords, ref, text, type Schemas } from './schema.ts';

/** The published schemas of templates, names as on the wire. */
export const templatesSchemas: Schemas = {
  TemplateCategory: oneOfWords('CPU', 'NVIDIA', 'AMD'),
  Template: {
    allOf: [
      ref('ContainerConfig'),
      object(
        [
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
      ),
    ],
  },
  CreateTemplateRequest: {
    allOf: [
      ref('ContainerConfig'),
      object(['name', 'image'], {
        name: { ...text, minLength: 1 },
        allowedCudaVersions: list({ ...text, pattern: '^\\d+\\.\\d+$' }),
        category: { allOf: [ref('TemplateCategory')], default: 'NVIDIA' },
        mounts: ref('TemplateMounts'),
        public: { ...flag, default: false },
        serverless: { ...flag, default: false },
        startJupyter: { ...flag, default: true },
        startSsh: { ...flag, default: true },
      }),
    ],
    unevaluatedProperties: false,
  },
  UpdateTemplateRequest: {
    allOf: [
      ref('ContainerConfig'),
      object([], {
        allowedCudaVersions: list({ ...text, pattern: '^\\d+\\.\\d+$' }),
        category: ref('TemplateCategory'),
        mounts: ref('TemplateMounts'),
        name: { ...text, minLength: 1 },
        public: flag,
        serverless: flag,
        startJupyter: flag,
        startSsh: flag,
      }),
    ],
    unevaluatedProperties: false,
  },
  ListTemplatesResponse: object(['templates'], { templates: list(ref('Template')) }),
};
