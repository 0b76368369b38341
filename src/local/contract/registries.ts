import { closed, list, object, orNull, ref, text, time, type Schemas } from './schema.ts';

/** The published schemas of registries and their delegations, names as on the wire. */
export const registriesSchemas: Schemas = {
  Registry: object(['id', 'name'], { id: text, name: text }),
  CreateRegistryRequest: closed(['name', 'username', 'password'], {
    name: { ...text, minLength: 1 },
    password: { ...text, minLength: 1 },
    username: { ...text, minLength: 1 },
  }),
  ListRegistriesResponse: object(['registries'], { registries: list(ref('Registry')) }),
  EcrDelegation: object(['id', 'delegatorUserId', 'awsUser', 'repository', 'tag', 'awsRegion', 'createdAt'], {
    id: text,
    name: orNull('string'),
    delegatorUserId: text,
    awsUser: text,
    repository: text,
    tag: text,
    awsRegion: text,
    dockerRegistryUri: text,
    createdAt: time,
  }),
  CreateDelegationRequest: closed(['resource'], { resource: text, name: orNull('string') }),
  ListDelegationsResponse: object(['delegations'], { delegations: list(ref('EcrDelegation')) }),
};
