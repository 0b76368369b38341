import { accountSchemas } from './schemas/account.ts';
import { billingSchemas } from './schemas/billing.ts';
import { catalogSchemas } from './schemas/catalog.ts';
import { clustersSchemas } from './schemas/clusters.ts';
import { controlSchemas } from './schemas/control.ts';
import { endpointsSchemas } from './schemas/endpoints.ts';
import { podsSchemas } from './schemas/pods.ts';
import { registriesSchemas } from './schemas/registries.ts';
import type { Schemas } from './schemas/schema.ts';
import { sharedSchemas } from './schemas/shared.ts';
import { templatesSchemas } from './schemas/templates.ts';
import { volumesSchemas } from './schemas/volumes.ts';

export const publishedSchemas: Schemas = {
  ...sharedSchemas,
  ...accountSchemas,
  ...podsSchemas,
  ...clustersSchemas,
  ...endpointsSchemas,
  ...templatesSchemas,
  ...volumesSchemas,
  ...registriesSchemas,
  ...catalogSchemas,
  ...billingSchemas,
};

export const allSchemas: Schemas = { ...publishedSchemas, ...controlSchemas };
