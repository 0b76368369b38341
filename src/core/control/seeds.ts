/** What a new account of the local service contains: `odd` gives some pods names that are difficult to print. */
export const SEEDS = ['plain', 'odd'] as const;

export type Seed = (typeof SEEDS)[number];
