import { closed, filledText, list, object, orNull, ref, text, time, type Schemas } from './schema.ts';

/** The published schemas of registries and their delegations, names as on the wire. */
export const registriesSchemas: Schemas = {
  Registry: object({ id: text, name: text }),
  CreateRegistryRequest: closed(
    {},
    { name: filledText, password: filledText, username: filledText },
    { required: ['name', 'username', 'password'] },
  ),
  ListRegistriesResponse: object({ registries: list(ref('Registry')) }),
  EcrDelegation: object(
    { id: text, delegatorUserId: text, awsUser: text, repository: text, tag: text, awsRegion: text, createdAt: time },
    { name: orNull('string'), dockerRegistryUri: text },
  ),
  CreateDelegationRequest: closed({ resource: text }, { name: orNull('string') }),
  ListDelegationsResponse: object({ delegations: list(ref('EcrDelegation')) }),
};
