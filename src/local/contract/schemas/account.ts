import { closed, filledText, list, object, orNull, ref, text, time, timeOrNull, type Schemas } from './schema.ts';

/** The longest value of a secret, in characters; in bytes of UTF-8 it must be shorter than this. */
export const MAX_SECRET_VALUE = 16_777_216;

const value = { ...filledText, maxLength: MAX_SECRET_VALUE };

/** No answer has the value of a secret. */
export const accountSchemas: Schemas = {
  SshKeys: object({ keys: list(text) }),
  UpdateSshKeysRequest: closed({
    keys: list({ ...text, pattern: '^(ssh|ecdsa|sk)-[^\\s]+ [^\\s]+([ \\t][^\\n\\r]*)?$' }),
  }),
  Secret: object(
    { id: text, name: text, createdAt: time },
    { description: orNull('string'), valueLastUpdatedAt: timeOrNull },
  ),
  CreateSecretRequest: closed(
    { name: { ...filledText, maxLength: 191, pattern: '^[a-zA-Z_][a-zA-Z0-9_.\\-/]*$' }, value },
    { description: text },
  ),
  UpdateSecretRequest: closed({}, { value, description: text }, { minProperties: 1 }),
  ListSecretsResponse: object({ secrets: list(ref('Secret')) }),
};
