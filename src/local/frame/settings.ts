/** What the user sets a local service to. */
export interface ServiceSettings {
  /** How many rows a page has at most, whatever `limit` asks for. */
  readonly pageSize: number;
  /** What the placeholders of secrets begin with: `{{ PREFIX_SECRET_name }}`. */
  readonly secretPrefix: string;
}

/** The prefix of placeholders where none is set. */
export const SECRET_PREFIX = 'BERTH';

const DEFAULTS: ServiceSettings = { pageSize: 1000, secretPrefix: SECRET_PREFIX };

/** Settings that are given; the others keep their defaults. */
export type GivenSettings = { readonly [Name in keyof ServiceSettings]?: ServiceSettings[Name] | undefined };

export const settingsOf = (given: GivenSettings): ServiceSettings => ({
  pageSize: given.pageSize ?? DEFAULTS.pageSize,
  secretPrefix: given.secretPrefix ?? DEFAULTS.secretPrefix,
});
