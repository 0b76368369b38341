/** What the user sets a local service to. */
export interface ServiceSettings {
  /** How many rows a page has at most, whatever `limit` asks for. */
  readonly pageSize: number;
  /** What the placeholders of secrets begin with: `{{ PREFIX_SECRET_name }}`. */
  readonly secretPrefix: string;
  /** What the key of a pod may do: nothing, or read and stop that pod (additions 11). */
  readonly podKeys: 'refused' | 'own';
}

/** The prefix of placeholders where none is set. */
export const SECRET_PREFIX = 'BERTH';

/** Settings that are given; the others keep their defaults. */
export type GivenSettings = { readonly [Name in keyof ServiceSettings]?: ServiceSettings[Name] | undefined };

export const settingsOf = (given: GivenSettings): ServiceSettings => {
  const { pageSize = 1000, secretPrefix = SECRET_PREFIX, podKeys = 'refused' } = given;
  return { pageSize, secretPrefix, podKeys };
};
