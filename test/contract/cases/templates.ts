import { gpu, image, type Case } from './case.ts';

/** Requests for templates, private and public ones. */
export const TEMPLATE_CASES: readonly Case[] = [
  { id: 'listTemplates', request: 'GET /v2/templates', status: 200 },
  { id: 'listTemplates', request: 'GET /v2/templates?limit=0', status: 422 },
  { id: 'createTemplate', request: 'POST /v2/templates', body: { name: 't', image }, status: 201 },
  {
    id: 'createTemplate',
    request: 'POST /v2/templates',
    body: {
      name: 't',
      image,
      mounts: { persistent: { size: 10, path: '/x' } },
      registry: 'reg-team',
      allowedCudaVersions: ['12.8'],
      public: true,
    },
    status: 201,
  },
  { id: 'createTemplate', request: 'POST /v2/templates', body: { name: 't', image, registry: 'no' }, status: 400 },
  { id: 'createTemplate', request: 'POST /v2/templates', body: { name: 't', image, ports: ['x'] }, status: 400 },
  { id: 'createTemplate', request: 'POST /v2/templates', body: { name: 't' }, status: 422 },
  {
    id: 'createTemplate',
    request: 'POST /v2/templates',
    body: { name: 't', image, mounts: { network: [] } },
    status: 422,
  },
  { id: 'getTemplate', request: 'GET /v2/templates/tpl-train', status: 200 },
  { id: 'getTemplate', request: 'GET /v2/templates/tpl-diffusion', status: 200 },
  { id: 'getTemplate', request: 'GET /v2/templates/none', status: 404 },
  { id: 'updateTemplate', request: 'PATCH /v2/templates/tpl-train', body: { name: 'n', env: {} }, status: 200 },
  { id: 'updateTemplate', request: 'PATCH /v2/templates/tpl-train', body: { registry: 'no' }, status: 400 },
  { id: 'updateTemplate', request: 'PATCH /v2/templates/tpl-ubuntu', body: { name: 'mine' }, status: 404 },
  { id: 'updateTemplate', request: 'PATCH /v2/templates/tpl-train', body: { name: '' }, status: 422 },
  { id: 'deleteTemplate', request: 'DELETE /v2/templates/tpl-train', status: 204 },
  {
    id: 'deleteTemplate',
    before: 'POST /v2/pods',
    beforeBody: { name: 'p', templateId: 'tpl-train', gpu },
    request: 'DELETE /v2/templates/tpl-train',
    status: 400,
  },
  { id: 'deleteTemplate', request: 'DELETE /v2/templates/tpl-ubuntu', status: 404 },
  { id: 'listPublicTemplates', request: 'GET /v2/catalog/templates', status: 200 },
  { id: 'listPublicTemplates', request: 'GET /v2/catalog/templates?source=community', status: 200 },
  { id: 'listPublicTemplates', request: 'GET /v2/catalog/templates?source=mine', status: 422 },
];
