import { closed, filledText, list, object, orNull, ref, text, time, type Schema, type Schemas } from './schema.ts';

const shortText: Schema = { ...filledText, maxLength: 191 };

export const registriesSchemas: Schemas = {
  Registry: object({ id: text, name: text }),
  CreateRegistryRequest: closed(
    {},
    { name: shortText, password: { ...filledText, maxLength: 16_384 }, username: shortText },
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
