import { closed, list, object, text, type Schemas } from './schema.ts';

/** The published schemas of the account, names as on the wire. */
export const accountSchemas: Schemas = {
  SshKeys: object({ keys: list(text) }),
  UpdateSshKeysRequest: closed({
    keys: list({ ...text, pattern: '^(ssh|ecdsa|sk)-[^\\s]+ [^\\s]+([ \\t][^\\n\\r]*)?$' }),
  }),
};
