import { accountSchemas } from './account.ts';
import { billingSchemas } from './billing.ts';
import { catalogSchemas } from './catalog.ts';
import { clustersSchemas } from './clusters.ts';
import { controlSchemas } from './control.ts';
import { endpointsSchemas } from './endpoints.ts';
import { podsSchemas } from './pods.ts';
import { registriesSchemas } from './registries.ts';
import type { Schemas } from './schema.ts';
import { secretsSchemas } from './secrets.ts';
import { sharedSchemas } from './shared.ts';
import { templatesSchemas } from './templates.ts';
import { volumesSchemas } from './volumes.ts';

/** The schemas of the published contract. */
export const publishedSchemas: Schemas = {
  ...sharedSchemas,
  ...accountSchemas,
  ...secretsSchemas,
  ...podsSchemas,
  ...clustersSchemas,
  ...endpointsSchemas,
  ...templatesSchemas,
  ...volumesSchemas,
  ...registriesSchemas,
  ...catalogSchemas,
  ...billingSchemas,
};

/** All schemas that a body may be validated against, published or not. */
export const allSchemas: Schemas = { ...publishedSchemas, ...controlSchemas };
